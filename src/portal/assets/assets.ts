import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { shippedPath } from "../../core/installation.js";
import { REGISTRATION, SERVICE_WORKER } from "./service-worker.js";
import { STYLESHEET } from "./stylesheet.js";

/** The icons of `config/icons/`. iOS takes the touch icon only; the maskable ones have no edge, systems cut them to their own shape. */
const ICONS = [
  "icon.svg",
  "icon-192.png",
  "icon-512.png",
  "icon-maskable.svg",
  "icon-maskable-192.png",
  "icon-maskable-512.png",
  "apple-touch-icon.png",
];

const iconType = (name: string) => (name.endsWith(".svg") ? "image/svg+xml" : "image/png");

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
  theme_color: "#0b6e4f",
  icons: ICONS.filter((name) => name.startsWith("icon")).map((name) => {
    const size = /\d+/.exec(name)?.[0];
    return {
      src: name,
      type: iconType(name),
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
  ...ICONS.map((name) => ({
    name,
    type: iconType(name),
    body: () => readFileSync(shippedPath(`config/icons/${name}`)),
  })),
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
