/** The page of a car: what a target costs follows the slider. Without it a button shows the cost. */

const form = document.getElementById("car-target");
const offer = document.getElementById("car-offer");
const shown = document.getElementById("target-shown");

/** The next question is asked this long after the last movement, ms. */
const PAUSE_MS = 120;
/** The gateway answers one question at a time. */
let isAsking = false;
let isStale = false;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** @param {HTMLFormElement} form */
function follow(form) {
  const range = form.querySelector("input[type=range]");
  if (!(range instanceof HTMLInputElement)) return;
  if (shown !== null) shown.textContent = `${range.value} %`;
  document.getElementById("soc-wanted")?.setAttribute("width", range.value);
  // The button below takes what is shown: not before that is what was chosen.
  offer?.setAttribute("aria-busy", "true");
  for (const button of offer?.querySelectorAll("button") ?? []) button.disabled = true;
  clearTimeout(timer);
  timer = setTimeout(() => void ask(form), PAUSE_MS);
}

/** @param {HTMLFormElement} form */
async function ask(form) {
  if (isAsking) {
    isStale = true;
    return;
  }
  isAsking = true;
  isStale = false;
  const query = new URLSearchParams();
  for (const [name, value] of new FormData(form)) query.append(name, String(value));
  try {
    const response = await fetch(`${form.dataset.url}?${query}`, { headers: { Accept: "application/json" } });
    if (response.redirected) location.reload();
    else if (response.ok && !isStale) show((await response.json()).parts);
    // Another plan is being made: asked again.
    else if (response.status === 429) isStale = true;
  } catch {
    // The gateway is not reachable: the button still works.
  } finally {
    isAsking = false;
    if (isStale) setTimeout(() => void ask(form), PAUSE_MS);
  }
}

/** @param {Record<string, string>} parts */
function show(parts) {
  const html = parts["car-offer"];
  if (offer === null || html === undefined) return;
  // Made by the same components as the page itself, so it is escaped.
  offer.innerHTML = html;
  offer.removeAttribute("aria-busy");
}

if (form instanceof HTMLFormElement) {
  form.classList.add("live");
  form.addEventListener("input", () => follow(form));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    follow(form);
  });
}
