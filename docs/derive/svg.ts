/** SVG helpers for the plots of the pages. The background is white so that plots are readable on dark pages too. */

export const COLOURS = {
  blue: "#1f5fa8",
  brown: "#a35b00",
  green: "#0a6b45",
  line: "#ddd",
  /** Areas and bars behind lines. */
  pale: "#bcd3ec",
  bar: "#9dbfe3",
  hold: "#777",
  free: "#eee",
} as const;

/** An SVG image with a title and a description for screen readers. */
export function picture(
  {
    width,
    height,
    title,
    description,
  }: Record<"width" | "height", number> & Record<"title" | "description", string>,
  parts: readonly string[],
): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" role="img">`,
    `<title>${title}</title>`,
    `<desc>${description}</desc>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...parts,
    "</svg>\n",
  ].join("\n");
}

export const label = (x: number, y: number, text: string, more = "") =>
  `<text x="${round(x)}" y="${round(y)}"${more}>${text}</text>`;

export const box = (x: number, y: number, width: number, height: number, more: string) =>
  `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" ${more}/>`;

export const path = (d: string, more: string) => `<path d="${d}" fill="none" ${more}/>`;

/** The path of a line through points. */
export const through = (points: readonly (readonly [x: number, y: number])[]) =>
  points.map(([x, y], index) => `${index === 0 ? "M" : "L"}${round(x)} ${round(y)}`).join("");

/** The path of a step function: each value lasts from one edge to the next; there is one more edge than values. */
export const stairs = (edges: readonly number[], values: readonly number[]) =>
  values
    .map(
      (y, index) =>
        `${index === 0 ? `M${round(edges[0]!)} ${round(y)}` : `V${round(y)}`}H${round(edges[index + 1]!)}`,
    )
    .join("");

/** Rounds a coordinate to 0.1 px. */
export const round = (value: number) => String(Math.round(10 * value) / 10);

/** The rows of a CSV file as objects with the column names of the first line. */
export function rowsOf(csv: string): Record<string, string>[] {
  const [head = "", ...lines] = csv.trim().split("\n");
  const names = head.split(",");
  return lines.map((line) => {
    const cells = line.split(",");
    return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ""]));
  });
}
