import { isRecord, recordOf } from "../../core/net/json.js";

/**
 * Splits a document that homes share into what belongs to some of them and the rest. Entries of objects begin with a name and a
 * space or are it, those of lists have it first or as `plant`.
 */
export function split(document: unknown, isOwn: (name: string) => boolean): [own: unknown, rest: unknown] {
  if (Array.isArray(document)) {
    const isMine = (entry: unknown) => isOwn(String(Array.isArray(entry) ? entry[0] : recordOf(entry).plant));
    return [document.filter(isMine), document.filter((entry) => !isMine(entry))];
  }
  if (!isRecord(document)) return [undefined, document];
  const own: Record<string, unknown> = {};
  const rest: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(document)) {
    if (isOwn(name.split(" ", 1)[0]!)) own[name] = value;
    else {
      const [mine, others] = split(value, isOwn);
      rest[name] = others;
      if (mine !== undefined && Object.keys(mine as object).length > 0) own[name] = mine;
    }
  }
  return [own, rest];
}

/** Adds the entries that were split off elsewhere. */
export function merged(document: unknown, own: unknown): unknown {
  if (Array.isArray(document) && Array.isArray(own)) return [...document, ...own];
  if (!isRecord(document) || !isRecord(own)) return own ?? document;
  const names = new Set([...Object.keys(document), ...Object.keys(own)]);
  return Object.fromEntries([...names].map((name) => [name, merged(document[name], own[name])]));
}
