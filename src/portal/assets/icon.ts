import { crc32, deflateSync } from "node:zlib";

type Point = readonly [x: number, y: number];

/** A clock on a canvas of 32 × 32 units. */
interface Icon {
  /** Radius of the green disc; larger than the canvas: all of it. */
  disc: number;
  /** Radius of the white ring, if there is one. */
  ring: number | undefined;
  hands: readonly Point[];
  /** Width of ring and hands. */
  stroke: number;
}

const CENTRE = 16;
const GREEN = [0x0b, 0x6e, 0x4f] as const;
const COLOUR = "#0b6e4f";

// biome-ignore format: one point after another
const PLAIN: Icon = { disc: 14, ring: undefined, hands: [[16, 7], [16, 16], [22, 20]], stroke: 3 };
/** Without an edge: systems cut it to their own shape within the inner 80 %. */
// biome-ignore format: one point after another
const MASKABLE: Icon = { disc: 32, ring: 10, hands: [[16, 10], [16, 16], [20, 19]], stroke: 2 };

function svgOf({ disc, ring, hands, stroke }: Icon): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<circle cx="16" cy="16" r="${disc}" fill="${COLOUR}"/>
<g fill="none" stroke="#fff" stroke-width="${stroke}" stroke-linecap="round" stroke-linejoin="round">
${ring === undefined ? "" : `<circle cx="16" cy="16" r="${ring}"/>\n`}<polyline points="${hands.join(" ")}"/>
</g>
</svg>
`;
}

/** The same picture as PNG with `size` × `size` pixels, for systems that take no SVG. */
function pngOf({ disc, ring, hands, stroke }: Icon, size: number): Buffer {
  const scale = size / 32;
  const cover = (distance: number) => Math.min(1, Math.max(0, 0.5 - distance * scale));
  const rows = Buffer.alloc(size * (1 + 4 * size));
  for (let row = 0, at = 0; row < size; row++) {
    at++;
    for (let column = 0; column < size; column++) {
      const x = (column + 0.5) / scale;
      const y = (row + 0.5) / scale;
      const radius = Math.sqrt((x - CENTRE) ** 2 + (y - CENTRE) ** 2);
      let toWhite = ring === undefined ? Number.POSITIVE_INFINITY : Math.abs(radius - ring);
      for (let hand = 1; hand < hands.length; hand++)
        toWhite = Math.min(toWhite, distance(x, y, hands[hand - 1]!, hands[hand]!));
      const white = cover(toWhite - stroke / 2);
      for (const green of GREEN) rows[at++] = Math.round(green + (255 - green) * white);
      rows[at++] = Math.round(255 * cover(radius - disc));
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  // 8 bits per channel, RGBA.
  header.set([8, 6], 8);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A chunk of a PNG file: length, type, data, checksum. */
function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

/** Distance of a point from the line between two points. */
function distance(x: number, y: number, from: Point, to: Point): number {
  const dx = to[0] - from[0];
  const dy = to[1] - from[1];
  const along = ((x - from[0]) * dx + (y - from[1]) * dy) / (dx * dx + dy * dy);
  const at = Math.min(1, Math.max(0, along));
  return Math.sqrt((x - from[0] - at * dx) ** 2 + (y - from[1] - at * dy) ** 2);
}

const SIZES = [192, 512] as const;

/** The icons by file name. iOS takes the touch icon only. */
export const ICONS: readonly { name: string; type: string; body: string | (() => Buffer) }[] = [
  { name: "icon.svg", type: "image/svg+xml", body: svgOf(PLAIN) },
  { name: "icon-maskable.svg", type: "image/svg+xml", body: svgOf(MASKABLE) },
  { name: "apple-touch-icon.png", type: "image/png", body: () => pngOf(MASKABLE, 180) },
  ...SIZES.flatMap((size) => [
    { name: `icon-${size}.png`, type: "image/png", body: () => pngOf(PLAIN, size) },
    { name: `icon-maskable-${size}.png`, type: "image/png", body: () => pngOf(MASKABLE, size) },
  ]),
];

/**
 * The web app manifest (W3C): browsers offer to install the portal with it. There is no service worker. Addresses are
 * relative to `/portal/<hash>/`, because a proxy may serve the portal below a path.
 */
export const MANIFEST = JSON.stringify({
  id: "/",
  name: "hourgate",
  short_name: "hourgate",
  start_url: "../../dashboard",
  scope: "../../",
  display: "standalone",
  background_color: "#f6f7f6",
  theme_color: COLOUR,
  icons: ICONS.filter(({ name }) => name.startsWith("icon")).map(({ name, type }) => {
    const size = /\d+/.exec(name)?.[0];
    return {
      src: name,
      type,
      sizes: size === undefined ? "any" : `${size}x${size}`,
      purpose: name.includes("maskable") ? "maskable" : "any",
    };
  }),
});
