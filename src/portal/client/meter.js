/** The upload of meter files: files dropped anywhere on the page, and a check of their size before they are sent. */

const MOST_BYTES = 30 * 1024 * 1024;

const form = /** @type {HTMLFormElement | null} */ (document.getElementById("upload"));
const field = /** @type {HTMLInputElement | null} */ (document.getElementById("files"));
const state = document.getElementById("upload-state");

/** The first file that is too large to be read. */
const tooLarge = () => [...(field?.files ?? [])].find(({ size }) => size > MOST_BYTES);

if (form !== null && field !== null && state !== null) {
  document.getElementById("drop-hint")?.removeAttribute("hidden");

  /** Shows why the chosen files cannot be sent; false when they can. */
  const isRefused = () => {
    const file = tooLarge();
    state.className = file === undefined ? "" : "error";
    state.textContent = file === undefined ? "" : (field.dataset.tooLarge ?? "").replace("{name}", file.name);
    return file !== undefined;
  };

  field.addEventListener("change", isRefused);
  form.addEventListener("submit", (event) => {
    if (isRefused()) event.preventDefault();
    else state.textContent = field.dataset.reading ?? "";
  });
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    form.classList.add("dropping");
  });
  document.addEventListener("dragleave", () => form.classList.remove("dropping"));
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    form.classList.remove("dropping");
    const files = event.dataTransfer?.files;
    if (files === undefined || files.length === 0) return;
    field.files = files;
    form.requestSubmit();
  });
}
