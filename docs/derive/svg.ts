/** The little that the plots of the pages need of SVG: white ground, so that they can be read on a dark page as well. */

export const COLOURS = {
  blue: "#1f5fa8",
  brown: "#a35b00",
  green: "#0a6b45",
  line: "#ddd",
  /** Grounds and bars that lines are drawn over. */
  pale: "#bcd3ec",
  bar: "#9dbfe3",
  hold: "#777",
  free: "#eee",
} as const;

/** A picture with its title, and what it shows for those who cannot see it. */
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

/** The path of values that hold from one edge to the next; one more edge than values. */
export const stairs = (edges: readonly number[], values: readonly number[]) =>
  values
    .map(
      (y, index) =>
        `${index === 0 ? `M${round(edges[0]!)} ${round(y)}` : `V${round(y)}`}H${round(edges[index + 1]!)}`,
    )
    .join("");

/** A tenth of a pixel is enough. */
export const round = (value: number) => String(Math.round(10 * value) / 10);

/** Rows of a CSV file by the names in its first line. */
export function rowsOf(csv: string): Record<string, string>[] {
  const [head = "", ...lines] = csv.trim().split("\n");
  const names = head.split(",");
  return lines.map((line) => {
    const cells = line.split(",");
    return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ""]));
  });
}
