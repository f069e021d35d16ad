/**
 * Shows the values of the period under the pointer, by mouse, touch and arrow keys; the card stays until another one is chosen. The
 * server writes them as titles of the periods, so that they are there without this script, too.
 * @param {HTMLElement} plot the part of the page with the chart
 */
export function followPointer(plot) {
  /** Place of the chosen period among all. */
  let chosen = -1;
  const periods = () => [...plot.querySelectorAll(".hit")];
  const show = (/** @type {number} */ index) => {
    const period = periods()[index];
    const readout = plot.querySelector(".readout");
    if (period === undefined || !(readout instanceof HTMLElement) || index === chosen) return;
    chosen = index;
    const line = plot.querySelector("line.chosen");
    const [x, width] = ["x", "width"].map((name) => Number.parseFloat(period.getAttribute(name) ?? "0"));
    line?.classList.add("on");
    for (const end of ["x1", "x2"]) line?.setAttribute(end, `${(x ?? 0) + (width ?? 0) / 2}%`);
    const [time, ...values] = (period.querySelector("title")?.textContent ?? "").split(" · ");
    readout.replaceChildren(
      Object.assign(document.createElement("strong"), { textContent: time }),
      ` · ${values.join(" · ")}`,
    );
    const at = period.getAttribute("data-at");
    if (at === null) return;
    const why = Object.assign(document.createElement("a"), {
      href: `${readout.dataset.why}${encodeURIComponent(at)}`,
      textContent: readout.dataset.whyText,
    });
    readout.append(" ", why);
  };
  const onPointer = (/** @type {PointerEvent} */ event) => {
    if (!(event.target instanceof Element) || event.target.closest("#chart") === null) return;
    show(
      periods().findIndex((period) => {
        const { left, right } = period.getBoundingClientRect();
        return left <= event.clientX && event.clientX < right;
      }),
    );
  };
  plot.addEventListener("pointermove", onPointer);
  plot.addEventListener("pointerdown", onPointer);
  plot.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0 || !(event.target instanceof Element) || event.target.id !== "chart") return;
    show(Math.min(periods().length - 1, Math.max(0, chosen + step)));
    event.preventDefault();
  });
}
