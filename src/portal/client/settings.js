/** The settings: marks forms that are not saved, asks before they are left, and shows the new plan once it is there. */

/** Time between two looks at a plan that is being recalculated. */
const LOOK_MS = 2000;

/** Whether a field differs from what the page was sent with. */
const isChanged = (/** @type {Element} */ field) => {
  if (field instanceof HTMLSelectElement) {
    const sent = [...field.options].findIndex(({ defaultSelected }) => defaultSelected);
    return field.selectedIndex !== Math.max(0, sent);
  }
  if (!(field instanceof HTMLInputElement) || field.type === "hidden") return false;
  return field.type === "checkbox"
    ? field.checked !== field.defaultChecked
    : field.value !== field.defaultValue;
};

for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll("form.guard"))) {
  let isSent = false;
  // A refused form comes back as it was typed.
  const isUnsaved = () => form.classList.contains("typed") || [...form.elements].some(isChanged);
  const mark = () => {
    for (const shown of form.querySelectorAll(".unsaved")) shown.toggleAttribute("hidden", !isUnsaved());
  };
  form.addEventListener("input", mark);
  form.addEventListener("submit", () => {
    isSent = true;
  });
  window.addEventListener("beforeunload", (event) => {
    if (!isSent && isUnsaved()) event.preventDefault();
  });
  // Browsers bring back what was typed after a reload and on the way back.
  window.addEventListener("pageshow", () => {
    isSent = false;
    mark();
  });
}

/** Shows what a save does to the plan once the page of the server has it; what is typed meanwhile stays. */
async function look() {
  const own = document.querySelectorAll("[data-change]");
  if (own[0]?.getAttribute("data-change") !== "computing") return;
  try {
    // "look" leaves the notice of a next save to the page that follows it.
    const response = await fetch(`${location.pathname}?look=1`, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const change = page.querySelectorAll("[data-change]");
    for (const [index, part] of [...own].entries()) part.replaceWith(change[index] ?? part);
  } catch {
    // The gateway restarts or the network is away: the next look tells.
  }
  setTimeout(look, LOOK_MS);
}
setTimeout(look, LOOK_MS);
