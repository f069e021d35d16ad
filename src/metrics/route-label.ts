/** One answered HTTP request. */
export interface SeenRequest {
  method: string;
  /** Path of the request; may contain a secret, such as the token of a controller link. */
  path: string;
  /** Pattern of the matching route, such as `/v1/forecast`; undefined if there is none. */
  pattern: string | undefined;
  /** Status of the answer; undefined if the client disconnected before its end. */
  status: number | undefined;
  seconds: number;
}

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** A method as a label; unknown methods share one label. */
export function methodLabel(method: string): string {
  return METHODS.has(method) ? method : "other";
}

/** `2xx` and so on; `gone` if the client disconnected before the end of the answer. */
export function statusLabel(status: number | undefined): string {
  return status === undefined ? "gone" : `${Math.floor(status / 100)}xx`;
}

/**
 * The route of a request as a label: its pattern, else the one of the `areas` that contains its path (areas with their own
 * routing), else `other`. Never the path: it may contain a secret, and the number of paths is unlimited.
 */
export function routeLabel({ path, pattern }: SeenRequest, areas: readonly string[]): string {
  if (pattern !== undefined) return pattern;
  return areas.find((area) => path === area || path.startsWith(`${area}/`)) ?? "other";
}
