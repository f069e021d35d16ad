/**
 * Shows the values of the hour under the pointer, by mouse, touch and arrow keys. The server writes them as titles of the
 * hours, so that they are there without this script, too.
 * @param {HTMLElement} plot the part of the page with the chart
 */
export function followPointer(plot) {
  const show = (/** @type {Element | undefined} */ hour) => {
    const readout = plot.querySelector(".readout");
    if (hour === undefined || readout === null) return;
    for (const other of plot.querySelectorAll(".hit.on")) other.classList.remove("on");
    hour.classList.add("on");
    readout.textContent = hour.querySelector("title")?.textContent ?? "";
  };
  const hoursOf = (/** @type {Element | null | undefined} */ svg) => [
    ...(svg?.querySelectorAll(".hit") ?? []),
  ];
  const onPointer = (/** @type {PointerEvent} */ event) => {
    if (!(event.target instanceof Element)) return;
    const svg = event.target.closest(".chart-svg");
    show(
      hoursOf(svg).find((hour) => {
        const { left, right } = hour.getBoundingClientRect();
        return left <= event.clientX && event.clientX < right;
      }),
    );
  };
  plot.addEventListener("pointermove", onPointer);
  plot.addEventListener("pointerdown", onPointer);
  plot.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0 || !(event.target instanceof Element) || event.target.id !== "chart") return;
    const shown = [...plot.querySelectorAll(".chart-svg")].find(
      (svg) => svg.getBoundingClientRect().width > 0,
    );
    const hours = hoursOf(shown);
    const at = hours.findIndex((hour) => hour.classList.contains("on"));
    show(hours[Math.min(hours.length - 1, Math.max(0, at + step))]);
    event.preventDefault();
  });
}
