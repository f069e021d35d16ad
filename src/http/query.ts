/**
 * The parameters of a request's query. A repeated parameter becomes a list, which no parameter permits. The result has no
 * prototype, so that a parameter may have any name.
 */
export function readQuery(url: string): Record<string, unknown> {
  const query: Record<string, unknown> = Object.create(null);
  const mark = url.indexOf("?");
  if (mark < 0) return query;
  for (const [name, value] of new URLSearchParams(url.slice(mark + 1))) {
    const before = query[name];
    if (before === undefined) query[name] = value;
    else if (Array.isArray(before)) before.push(value);
    else query[name] = [before, value];
  }
  return query;
}
