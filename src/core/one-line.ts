/** Signs that reverse the direction of the text that follows (Trojan Source). */
const REVERSING = /[\u202A-\u202E\u2066-\u2069]/g;
/** Controls of terminals, line ends, and signs that reverse text. */
const CONTROLS = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]+/gu;

/** A text of a stranger as one line that shows what it says: it moves no cursor, begins no line or header, and reverses nothing. */
export function oneLine(text: string): string {
  return text.replace(CONTROLS, " ");
}

/** A page or mail in which no text of a stranger reverses what follows it. */
export function withoutReversing(document: string): string {
  return document.replace(REVERSING, "");
}

/** A text of several lines for a terminal, each as `oneLine`. */
export function printable(text: string): string {
  return text.split("\n").map(oneLine).join("\n");
}
