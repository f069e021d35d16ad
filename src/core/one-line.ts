/** Controls of terminals, line ends, and signs that reverse the direction of the text that follows (Trojan Source). */
const CONTROLS = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]+/gu;

/** A text of a stranger as one line that shows what it says: it moves no cursor, begins no line or header, and reverses nothing. */
export function oneLine(text: string): string {
  return text.replace(CONTROLS, " ");
}

/** A text of several lines for a terminal, each as `oneLine`. */
export function printable(text: string): string {
  return text.split("\n").map(oneLine).join("\n");
}
