/** Buttons that copy a text; without scripts they stay hidden and the text can be selected. */
for (const button of document.querySelectorAll("button[data-copies]")) {
  if (!(button instanceof HTMLButtonElement)) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copies ?? "");
    const label = button.querySelector("[aria-live]");
    if (source === null || label === null) return;
    const before = label.textContent;
    label.textContent = (await isCopied(source)) ? (button.dataset.done ?? "") : before;
    setTimeout(() => {
      label.textContent = before;
    }, 2000);
  });
}

/** @param {HTMLElement} source */
async function isCopied(source) {
  // Browsers have no clipboard API on pages without HTTPS.
  if (navigator.clipboard !== undefined) {
    try {
      await navigator.clipboard.writeText(source.textContent ?? "");
      return true;
    } catch {
      // Not permitted: the selection is copied instead.
    }
  }
  const selection = getSelection();
  selection?.selectAllChildren(source);
  return document.execCommand("copy");
}
