/** Attributes of the pages that contain addresses of the portal. */
const ADDRESSES = new Set(["href", "src", "action", "data-url", "data-events"]);

/**
 * The HTML of a page or a part of it for a proxy that serves the portal below a path: addresses of the portal begin with
 * that path. A quotation mark only occurs around attributes, because the renderer escapes all others.
 */
export function htmlBelow(basePath: string, html: string): string {
  if (basePath === "") return html;
  return html.replace(/([\w-]+)="([^"]*)"/g, (attribute, name: string, value: string) =>
    ADDRESSES.has(name) ? `${name}="${addressBelow(basePath, value)}"` : attribute,
  );
}

/** An address of the portal below the path of a proxy; addresses of others and relative ones stay as they are. */
export function addressBelow(basePath: string, address: string): string {
  return /^\/(?!\/)/.test(address) ? basePath + address : address;
}
