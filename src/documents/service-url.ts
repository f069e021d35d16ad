/** The address of a call of this gateway, for those who are told about it; `baseUrl` with or without a closing slash. */
export function serviceUrl(baseUrl: string, path: string): string {
  return `${baseUrl.replace(/\/+$/, "")}${path}`;
}
