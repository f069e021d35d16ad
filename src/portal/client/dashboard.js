import { followPointer } from "./chart.js";

/** Figures age (how old the SOC is, how long to the next charging): they are fetched this often without any event. */
const REFRESH_MS = 60_000;

/**
 * What `/portal/data` answers, as far as the page uses it.
 * @typedef {object} DashboardData
 * @property {Record<string, string>} parts
 */

/** Keeps the page up to date without a reload: an event says that something has changed, the data are then fetched. */
class Dashboard {
  /** @type {HTMLElement} */
  #root;
  /** What the server sent last for each part: only a part that differs is written anew (and read out). */
  /** @type {Map<string, string>} */
  #sent = new Map();
  /** A fetch under way, and whether another one must follow it. */
  #isFetching = false;
  #isStale = false;

  /** @param {HTMLElement} root */
  constructor(root) {
    this.#root = root;
  }

  start() {
    const events = new EventSource(this.#root.dataset.events ?? "");
    events.addEventListener("changed", () => this.#refresh());
    events.addEventListener("over", () => {
      events.close();
      location.reload();
    });
    // What happened while the connection was lost is fetched once it is there again.
    events.addEventListener("open", () => this.#refresh());
    window.addEventListener("pagehide", () => events.close());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.#refresh();
    });
    setInterval(() => {
      if (!document.hidden) this.#refresh();
    }, REFRESH_MS);
    this.#refresh();
  }

  async #refresh() {
    if (this.#isFetching) {
      this.#isStale = true;
      return;
    }
    this.#isFetching = true;
    try {
      const response = await fetch(this.#root.dataset.url ?? "", { headers: { Accept: "application/json" } });
      // Signed out elsewhere: the answer is the page that asks to sign in.
      if (response.redirected || response.status === 404) location.reload();
      else if (response.ok) this.#show(await response.json());
    } catch {
      // The gateway restarts or the network is away; the event stream comes back by itself and asks again.
    } finally {
      this.#isFetching = false;
      if (this.#isStale) {
        this.#isStale = false;
        this.#refresh();
      }
    }
  }

  /** @param {DashboardData} data */
  #show({ parts }) {
    for (const [id, html] of Object.entries(parts)) {
      const element = document.getElementById(id);
      if (element === null) continue;
      // Made by the same components as the page itself, so it is escaped.
      // A form in use keeps its text and the focus: the part is written once the form is left.
      if (element.contains(document.activeElement?.closest("form") ?? null)) continue;
      if (this.#sent.get(id) !== html) replaceContent(element, html);
      this.#sent.set(id, html);
    }
  }
}

/**
 * Writes a part anew; what was unfolded stays so.
 * @param {HTMLElement} element
 * @param {string} html
 */
function replaceContent(element, html) {
  const open = [...element.querySelectorAll("details[open]")].map(({ id }) => id);
  element.innerHTML = html;
  for (const id of open) document.getElementById(id)?.setAttribute("open", "");
}

const root = document.getElementById("live");
if (root !== null) new Dashboard(root).start();
const plot = document.getElementById("plot");
if (plot !== null) followPointer(plot);
