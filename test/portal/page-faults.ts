/** Checks of a page as it is shown; the functions run in the browser and use nothing from outside. */

interface Limits {
  typePx: readonly number[];
  radiiPx: readonly number[];
}

/** What a page may use of type and radii. */
export const TOKENS: Limits = { typePx: [12, 14, 16, 18, 20, 24, 28], radiiPx: [0, 2, 4, 8, 16, 999] };

/** Text that is cut, too small or out of its box, and boxes that scroll sideways. */
export function layoutFaults(width: number): string[] {
  const faults = new Set<string>();
  if (innerWidth !== width) faults.add(`laid out for ${innerWidth} px`);
  const name = (one: Element) => {
    const text = (one.textContent ?? "").trim().replace(/\s+/g, " ").slice(0, 40);
    const by = one.id !== "" ? `#${one.id}` : [...one.classList].map((each) => `.${each}`).join("");
    return `${one.tagName.toLowerCase()}${by} "${text}"`;
  };
  if (document.documentElement.scrollWidth > document.documentElement.clientWidth)
    faults.add("wider than the screen");
  const canvas = document.createElement("canvas").getContext("2d")!;
  for (const one of document.body.querySelectorAll<HTMLElement | SVGTextElement>(
    "*:not(.skip, .visually-hidden, .visually-hidden *, option, svg, svg *), svg text",
  )) {
    if (one instanceof SVGTextElement) {
      if (!one.checkVisibility()) continue;
      const px = parseFloat(getComputedStyle(one).fontSize) * (one.getScreenCTM()?.a ?? 1);
      if (px < 11.95) faults.add(`text of ${px.toFixed(1)} px: ${name(one)}`);
      const { left, right, width } = one.getBoundingClientRect();
      // Left out at this width.
      if (width === 0) continue;
      const room = (one.closest(".card, main") ?? document.body).getBoundingClientRect();
      if (left < room.left - 1 || right > room.right + 1) faults.add(`text out of its box: ${name(one)}`);
      continue;
    }
    const isWide = one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0;
    const isHigh = one.scrollHeight > one.clientHeight + 1 && one.clientHeight > 0;
    const isChoice = one instanceof HTMLSelectElement && one.clientWidth > 0;
    // Lines of code, and a chart that is wider by intent, may scroll.
    if (!(isWide || isHigh || isChoice) || one.matches("pre, pre *, .scrolls")) continue;
    const style = getComputedStyle(one);
    if (style.display === "inline" || !one.checkVisibility({ visibilityProperty: true })) continue;
    if (isWide && style.overflowX === "visible") faults.add(`text out of its box: ${name(one)}`);
    else if (isWide) faults.add(`cut or scrolls sideways: ${name(one)}`);
    if (isHigh && style.overflowY === "hidden") faults.add(`cut: ${name(one)}`);
    if (isChoice) {
      canvas.font = style.font;
      const shown = one.selectedOptions[0]?.textContent?.trim() ?? "";
      const room = one.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - 16;
      if (canvas.measureText(shown).width > room) faults.add(`choice cut: ${name(one)}: ${shown}`);
    }
  }
  return [...faults];
}

/** Sizes of type, radii, shadows and distances that are no token. */
export function measureFaults({ typePx, radiiPx }: Limits): string[] {
  const faults = new Set<string>();
  const shadows = new Set<string>();
  const isToken = (px: number) => px % 4 === 0 || px === 2 || px === 6;
  for (const one of document.body.querySelectorAll<HTMLElement>("*:not(option, svg *, .visually-hidden)")) {
    const style = getComputedStyle(one);
    const name = () => `${one.tagName.toLowerCase()}#${one.id}.${one.getAttribute("class")}`;
    const hasText = [...one.childNodes].some(
      (node) => node.nodeType === Node.TEXT_NODE && node.textContent!.trim() !== "",
    );
    const px = parseFloat(style.fontSize);
    if ((hasText || one.matches("input, select")) && !typePx.some((size) => Math.abs(size - px) < 0.05))
      faults.add(`type of ${px} px: ${name()}`);
    const radius = style.borderTopLeftRadius;
    if (!radiiPx.includes(parseFloat(radius)) || radius.includes("%"))
      faults.add(`radius ${radius}: ${name()}`);
    if (style.boxShadow !== "none") shadows.add(style.boxShadow);
    for (const side of ["Left", "Right", "Top", "Bottom"] as const) {
      const padding = parseFloat(style[`padding${side}`]);
      if (!isToken(padding)) faults.add(`padding of ${padding} px: ${name()}`);
      const margin = Math.abs(parseFloat(style[`margin${side}`]));
      if (isToken(margin)) continue;
      // What is left of a line, as in "margin: auto", is no measure.
      const set = one.computedStyleMap().get(`margin-${side.toLowerCase()}`);
      if (set instanceof CSSUnitValue && set.unit === "px") faults.add(`margin of ${margin} px: ${name()}`);
    }
    for (const gap of [style.rowGap, style.columnGap])
      if (gap !== "normal" && !isToken(parseFloat(gap))) faults.add(`gap of ${gap}: ${name()}`);
  }
  if (shadows.size > 2) faults.add(`shadows: ${[...shadows].join(" | ")}`);
  return [...faults];
}

/** The names of the tabs, and the texts of a page that an owner reads, without code and what was typed. */
export function readPage(): { bar: string[]; text: string } {
  const texts: string[] = [document.title];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
    if (node.parentElement?.closest("code, pre, script, style, textarea") === null)
      texts.push(node.textContent!);
  for (const one of document.querySelectorAll("[aria-label], [placeholder], [title], [alt]"))
    for (const attribute of ["aria-label", "placeholder", "title", "alt"])
      texts.push(one.getAttribute(attribute) ?? "");
  const bar = [...document.querySelectorAll<HTMLElement>("nav.bar a")].map(({ innerText }) => innerText);
  return { bar, text: texts.join("\n") };
}
