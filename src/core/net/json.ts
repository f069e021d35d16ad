/** True for a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Sets a query parameter unless the configured address contains it. */
export function setIfAbsent(url: URL, name: string, value: string): void {
  if (!url.searchParams.has(name)) url.searchParams.set(name, value);
}
