import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { brotliCompressSync, crc32, deflateSync, gzipSync } from "node:zlib";
import { REGISTRATION, SERVICE_WORKER } from "./service-worker.js";
import { STYLESHEET } from "./stylesheet.js";

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
const ICONS: readonly { name: string; type: string; body: string | (() => Buffer) }[] = [
  { name: "icon.svg", type: "image/svg+xml", body: svgOf(PLAIN) },
  { name: "icon-maskable.svg", type: "image/svg+xml", body: svgOf(MASKABLE) },
  { name: "apple-touch-icon.png", type: "image/png", body: () => pngOf(MASKABLE, 180) },
  ...SIZES.flatMap((size) => [
    { name: `icon-${size}.png`, type: "image/png", body: () => pngOf(PLAIN, size) },
    { name: `icon-maskable-${size}.png`, type: "image/png", body: () => pngOf(MASKABLE, size) },
  ]),
];

/**
 * The web app manifest (W3C): browsers offer to install the portal with it. Addresses are
 * relative to `/portal/<hash>/`, because a proxy may serve the portal below a path.
 */
const MANIFEST = JSON.stringify({
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

/** A file that pages load: a stylesheet, a script or an image. */
export interface Asset {
  /** Name below `/portal/`, such as `portal.css`; may have folders. */
  name: string;
  /** Media type, such as `text/css; charset=utf-8`. */
  type: string;
  /** A function is called once, when the asset is first used. */
  body: string | Buffer | (() => Buffer);
  headers?: Readonly<Record<string, string>>;
}

/** Compressions of assets, the best one first. Pages are not compressed: with them texts of others stand beside secrets. */
const ENCODINGS = ["br", "gzip"] as const;
type Encoding = (typeof ENCODINGS)[number];

/** Path prefix of the assets. */
export const ASSET_PATH = "/portal/";

const SCRIPT = "text/javascript; charset=utf-8";

/** Assets of the layout. */
const OWN: readonly Asset[] = [
  { name: "portal.css", type: "text/css; charset=utf-8", body: STYLESHEET },
  ...ICONS,
  { name: "install.js", type: SCRIPT, body: REGISTRATION },
  // Pages above the folder of the script are its scope.
  {
    name: "service-worker.js",
    type: SCRIPT,
    body: SERVICE_WORKER,
    headers: { "Service-Worker-Allowed": "../" },
  },
  { name: "manifest.webmanifest", type: "application/manifest+json", body: MANIFEST },
];

/**
 * The assets of the portal. Pages use URLs with the hash of the content (`/portal/<hash>/<name>`), which browsers may cache
 * permanently. The hash is a folder, so that modules can import one another by relative name; under the hash of another
 * file an asset must be revalidated.
 */
export class Assets {
  readonly #byName: ReadonlyMap<string, KeptAsset>;

  constructor(further: readonly Asset[] = []) {
    this.#byName = new Map([...OWN, ...further].map((asset) => [asset.name, new KeptAsset(asset)]));
  }

  /** The URL of an asset. Throws RangeError for an unknown name. */
  url(name: string): string {
    const kept = this.#byName.get(name);
    if (kept === undefined) throw new RangeError(`The portal has no asset "${name}".`);
    return `${ASSET_PATH}${kept.hash}/${name}`;
  }

  /** Serves GET of an asset; false if there is none at this path. */
  serve(
    path: string,
    {
      ifNoneMatch,
      acceptEncoding = "",
      head,
    }: { ifNoneMatch: string | undefined; acceptEncoding?: string | undefined; head: boolean },
    res: ServerResponse,
  ): boolean {
    const [, folder, rest] = /^\/portal\/(?:([0-9a-f]{16})\/)?(.+)$/.exec(path) ?? [];
    const kept = rest === undefined ? undefined : this.#byName.get(rest);
    if (kept === undefined) return false;
    const encoding = ENCODINGS.find(
      (name) => kept.isText && new RegExp(`\\b${name}\\b`).test(acceptEncoding),
    );
    const etag = `"${kept.hash}${encoding === undefined ? "" : `-${encoding}`}"`;
    const headers = {
      "Content-Type": kept.type,
      "Cache-Control": folder === kept.hash ? "public, max-age=31536000, immutable" : "no-cache",
      ETag: etag,
      ...kept.headers,
      ...(kept.isText && { Vary: "Accept-Encoding" }),
      ...(encoding !== undefined && { "Content-Encoding": encoding }),
    };
    if (ifNoneMatch === etag) {
      res.writeHead(304, headers).end();
      return true;
    }
    const body = encoding === undefined ? kept.body : kept.compressed(encoding);
    res.writeHead(200, { ...headers, "Content-Length": body.length }).end(head ? undefined : body);
    return true;
  }
}

/** An asset with the hash of its content. */
class KeptAsset {
  readonly #asset: Asset;
  #body: Buffer | undefined;
  readonly #compressed = new Map<Encoding, Buffer>();
  #hash: string | undefined;

  constructor(asset: Asset) {
    this.#asset = asset;
  }

  get type(): string {
    return this.#asset.type;
  }

  get headers(): Asset["headers"] {
    return this.#asset.headers;
  }

  get body(): Buffer {
    const { body } = this.#asset;
    this.#body ??= typeof body === "function" ? body() : Buffer.from(body as string);
    return this.#body;
  }

  /** Images are compressed already. */
  get isText(): boolean {
    return !/^image\/(?!svg)/.test(this.type);
  }

  compressed(encoding: Encoding): Buffer {
    let body = this.#compressed.get(encoding);
    if (body === undefined) {
      body = encoding === "br" ? brotliCompressSync(this.body) : gzipSync(this.body);
      this.#compressed.set(encoding, body);
    }
    return body;
  }

  get hash(): string {
    this.#hash ??= createHash("sha256").update(this.body).digest("hex").slice(0, 16);
    return this.#hash;
  }
}
