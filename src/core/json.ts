/** Most levels of lists and objects of a document from outside; no real one has more than ten. */
export const MOST_LEVELS = 100;

const [QUOTE, BACKSLASH, LIST, LIST_END, OBJECT, OBJECT_END] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

/**
 * A document from outside. Throws SyntaxError, also for one with more than `MOST_LEVELS`: a megabyte of brackets takes half
 * a second to parse, and what it gives cannot be written again, because that exceeds the stack.
 */
export function parseForeignJson(text: string): unknown {
  if (isTooDeep(text)) throw new SyntaxError(`The document has more than ${MOST_LEVELS} levels.`);
  return JSON.parse(text);
}

function isTooDeep(text: string): boolean {
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isInText = !isInText;
    else if (isInText) {
      if (code === BACKSLASH) at++;
    } else if (code === LIST || code === OBJECT) {
      if (++depth > MOST_LEVELS) return true;
    } else if (code === LIST_END || code === OBJECT_END) depth--;
  }
  return false;
}
