/** Whether a topic filter matches a topic (MQTT 3.1.1 section 4.7); a leading wildcard does not match `$` topics. */
export function filterMatches(filter: string, topic: string): boolean {
  if (topic.startsWith("$") && /^[+#]/.test(filter)) return false;
  const filterLevels = filter.split("/");
  const levels = topic.split("/");
  for (const [index, level] of filterLevels.entries()) {
    if (level === "#") return true;
    if (index >= levels.length || (level !== "+" && level !== levels[index])) return false;
  }
  return filterLevels.length === levels.length;
}

/** Whether every topic that `inner` matches is also matched by `outer`. */
export function filterCovers(outer: string, inner: string): boolean {
  if (inner.startsWith("$") && /^[+#]/.test(outer)) return false;
  const wide = outer.split("/");
  const narrow = inner.split("/");
  for (const [index, level] of wide.entries()) {
    if (level === "#") return true;
    const other = narrow[index];
    // "#" also matches the level above it, so only "#" covers "#".
    if (other === undefined || other === "#" || (level !== "+" && level !== other)) return false;
  }
  return wide.length === narrow.length;
}
