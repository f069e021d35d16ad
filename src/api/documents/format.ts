/**
 * The same members with scalars before the first object or array (docs/spec/http-api.md section 1), because simple
 * controllers search the text for the first `"charge_now":`. The order within each group is kept; undefined members
 * are dropped.
 */
export function scalarsFirst(document: Record<string, unknown>): Record<string, unknown> {
  const members = Object.entries(document).filter(([, value]) => value !== undefined);
  const isScalar = ([, value]: [string, unknown]) => value === null || typeof value !== "object";
  return Object.fromEntries([...members.filter(isScalar), ...members.filter((member) => !isScalar(member))]);
}

/** The public address of a path of this gateway; `baseUrl` with or without a trailing slash. */
export function serviceUrl(baseUrl: string, path: string): string {
  return `${baseUrl.replace(/\/+$/, "")}${path}`;
}
