import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { ICON, MANIFEST, MASKABLE_ICON } from "./icon.js";
import { STYLESHEET } from "./stylesheet.js";

/** A file that pages load: a stylesheet, a script or an image. */
export interface Asset {
  /** Name below `/portal/`, such as `portal.css`; may have folders. */
  name: string;
  /** Media type, such as `text/css; charset=utf-8`. */
  type: string;
  body: string | Buffer;
}

/** Path prefix of the assets. */
export const ASSET_PATH = "/portal/";

/** Assets of the layout. */
const OWN: readonly Asset[] = [
  { name: "portal.css", type: "text/css; charset=utf-8", body: STYLESHEET },
  { name: "icon.svg", type: "image/svg+xml", body: ICON },
  { name: "icon-maskable.svg", type: "image/svg+xml", body: MASKABLE_ICON },
  { name: "manifest.webmanifest", type: "application/manifest+json", body: MANIFEST },
];

interface Kept extends Asset {
  hash: string;
}

/**
 * The assets of the portal. Pages use URLs with the hash of the content (`/portal/<hash>/<name>`), which browsers may cache
 * permanently. The hash is a folder, so that modules can import one another by relative name; under the hash of another
 * file an asset must be revalidated.
 */
export class Assets {
  readonly #byName: ReadonlyMap<string, Kept>;

  constructor(further: readonly Asset[] = []) {
    this.#byName = new Map(
      [...OWN, ...further].map((asset) => [asset.name, { ...asset, hash: hashOf(asset.body) }]),
    );
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
    const body = Buffer.from(kept.body as string);
    res.writeHead(200, { ...headers, "Content-Length": body.length }).end(head ? undefined : body);
    return true;
  }
}

function hashOf(body: string | Buffer): string {
  return createHash("sha256").update(body).digest("hex").slice(0, 16);
}
