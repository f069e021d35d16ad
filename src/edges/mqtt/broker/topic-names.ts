const MAX_LEVELS = 100;
/** Longest filter of a client, in bytes and in levels. */
export const MAX_FILTER_BYTES = 512;
export const MAX_FILTER_LEVELS = 32;

/** Whether a client may publish to a topic of such a name (MQTT 5, 4.7). */
export function isTopicName(topic: string): boolean {
  return topic !== "" && !/[+#\0]/.test(topic) && topic.split("/").length <= MAX_LEVELS;
}

/** Whether the text is a topic filter: wildcards stand for whole levels, `#` for the last one. */
export function isTopicFilter(filter: string): boolean {
  if (filter === "" || filter.includes("\0")) return false;
  const levels = filter.split("/");
  return levels.every(
    (level, index) => level === "+" || (level === "#" && index === levels.length - 1) || !/[+#]/.test(level),
  );
}
