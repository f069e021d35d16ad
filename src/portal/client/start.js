import { followPointer } from "./chart.js";

/** The wizard: shows the price under the chosen tariff at once (without it a button does the same), and the hours of the plan. */

const note = () => document.querySelector("#price-now");
/** @type {AbortController | undefined} */
let asked;

/** @param {HTMLFormElement} form */
async function preview(form) {
  asked?.abort();
  asked = new AbortController();
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form)) body.append(name, String(value));
  body.set("preview", "true");
  try {
    const response = await fetch(form.action, { method: "POST", body, signal: asked.signal });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const shown = page.querySelector("#price-now");
    if (shown !== null) note()?.replaceChildren(...shown.childNodes);
  } catch {
    // Another choice was made meanwhile, or the gateway is not reachable: the button still works.
  }
}

const form = note()?.closest("form");
form?.addEventListener("change", () => void preview(form));

const plot = document.querySelector("#plot");
if (plot instanceof HTMLElement) followPointer(plot);
