import { followPointer } from "./chart.js";

/** Figures age (how old the SOC is, how long to the next charging): they are fetched this often without any event. */
const REFRESH_MS = 60_000;

/**
 * What the data of a page answer, as far as its script uses it.
 * @typedef {object} PageData
 * @property {Record<string, string>} parts the parts that have changed
 * @property {Record<string, string>} versions
 */

/** Keeps the page up to date without a reload: an event says that something has changed, the parts that differ are then fetched. */
class Dashboard {
  /** @type {HTMLElement} */
  #root;
  /** The version of each part that the page shows. */
  /** @type {Map<string, string>} */
  #versions = new Map();
  /** A fetch under way, and whether another one must follow it. */
  #isFetching = false;
  #isStale = false;
  /** The page is as the server has just sent it. */
  #isNew = true;

  /** @param {HTMLElement} root */
  constructor(root) {
    this.#root = root;
    for (const part of root.querySelectorAll("[data-version]"))
      this.#versions.set(part.id, part.getAttribute("data-version") ?? "");
  }

  start() {
    const events = new EventSource(this.#root.dataset.events ?? "");
    events.addEventListener("changed", () => this.#refresh());
    events.addEventListener("over", () => {
      events.close();
      location.reload();
    });
    // What happened while the connection was lost is fetched once it is there again.
    events.addEventListener("open", () => {
      if (!this.#isNew || this.#versions.size === 0) this.#refresh();
      this.#isNew = false;
    });
    window.addEventListener("pagehide", () => events.close());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.#refresh();
    });
    setInterval(() => {
      if (!document.hidden) this.#refresh();
    }, REFRESH_MS);
  }

  async #refresh() {
    if (this.#isFetching) {
      this.#isStale = true;
      return;
    }
    this.#isFetching = true;
    try {
      const url = new URL(this.#root.dataset.url ?? "", location.href);
      const have = [...this.#versions].map(([id, version]) => `${id}.${version}`);
      if (have.length > 0) url.searchParams.set("have", have.join(","));
      const response = await fetch(url, { headers: { Accept: "application/json" } });
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

  /** @param {PageData} data */
  #show({ parts, versions }) {
    for (const [id, html] of Object.entries(parts)) {
      const element = document.getElementById(id);
      if (element === null) continue;
      // A form in use keeps its text and the focus: the part is written once the form is left.
      if (element.contains(document.activeElement?.closest("form") ?? null)) continue;
      // Made by the same components as the page itself, so it is escaped.
      const fresh = document.createElement("template");
      fresh.innerHTML = html;
      changeChildren(element, fresh.content);
      this.#versions.set(id, versions[id] ?? "");
    }
  }
}

/**
 * Makes the content of an element that of another one and leaves alone what is the same, so that dots go on moving and nothing loses
 * the focus. What was unfolded stays so, and what `data-own` marks belongs to the script.
 * @param {Node} old
 * @param {Node} fresh
 */
function changeChildren(old, fresh) {
  const before = [...old.childNodes];
  const after = [...fresh.childNodes];
  for (const [index, node] of after.entries()) {
    const known = before[index];
    if (known === undefined) old.appendChild(node);
    else if (known.nodeName !== node.nodeName) old.replaceChild(node, known);
    else if (known instanceof Element && node instanceof Element) changeElement(known, node);
    else if (known.nodeValue !== node.nodeValue) known.nodeValue = node.nodeValue;
  }
  for (const rest of before.slice(after.length)) rest.remove();
}

/**
 * @param {Element} old
 * @param {Element} fresh
 */
function changeElement(old, fresh) {
  for (const { name, value } of fresh.attributes)
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  for (const { name } of [...old.attributes])
    if (!fresh.hasAttribute(name) && name !== "open") old.removeAttribute(name);
  if (!old.hasAttribute("data-own")) changeChildren(old, fresh);
}

const root = document.getElementById("live");
if (root !== null) new Dashboard(root).start();
const plot = document.getElementById("plot");
if (plot !== null) followPointer(plot);
