/** The public address of a path of this gateway; `baseUrl` with or without a trailing slash. */
export function serviceUrl(baseUrl: string, path: string): string {
  return `${baseUrl.replace(/\/+$/, "")}${path}`;
}
