import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { ICONS, MANIFEST } from "./icon.js";
import { STYLESHEET } from "./stylesheet.js";

/** A file that pages load: a stylesheet, a script or an image. */
export interface Asset {
  /** Name below `/portal/`, such as `portal.css`; may have folders. */
  name: string;
  /** Media type, such as `text/css; charset=utf-8`. */
  type: string;
  /** A function is called once, when the asset is first used. */
  body: string | Buffer | (() => Buffer);
}

/** Path prefix of the assets. */
export const ASSET_PATH = "/portal/";

/** Assets of the layout. */
const OWN: readonly Asset[] = [
  { name: "portal.css", type: "text/css; charset=utf-8", body: STYLESHEET },
  ...ICONS,
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
    { ifNoneMatch, head }: { ifNoneMatch: string | undefined; head: boolean },
    res: ServerResponse,
  ): boolean {
    const [, folder, rest] = /^\/portal\/(?:([0-9a-f]{16})\/)?(.+)$/.exec(path) ?? [];
    const kept = rest === undefined ? undefined : this.#byName.get(rest);
    if (kept === undefined) return false;
    const etag = `"${kept.hash}"`;
    const headers = {
      "Content-Type": kept.type,
      "Cache-Control": folder === kept.hash ? "public, max-age=31536000, immutable" : "no-cache",
      ETag: etag,
    };
    if (ifNoneMatch === etag) {
      res.writeHead(304, headers).end();
      return true;
    }
    res.writeHead(200, { ...headers, "Content-Length": kept.body.length }).end(head ? undefined : kept.body);
    return true;
  }
}

/** An asset with the hash of its content. */
class KeptAsset {
  readonly #asset: Asset;
  #body: Buffer | undefined;
  #hash: string | undefined;

  constructor(asset: Asset) {
    this.#asset = asset;
  }

  get type(): string {
    return this.#asset.type;
  }

  get body(): Buffer {
    const { body } = this.#asset;
    this.#body ??= typeof body === "function" ? body() : Buffer.from(body as string);
    return this.#body;
  }

  get hash(): string {
    this.#hash ??= createHash("sha256").update(this.body).digest("hex").slice(0, 16);
    return this.#hash;
  }
}
