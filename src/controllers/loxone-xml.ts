type Attributes = Readonly<Record<string, string | number | boolean>>;

/** Kinds of template that the Info element tells apart. */
export const TEMPLATE_TYPES = { httpInput: 2, output: 3 } as const;

/**
 * A Loxone template file: UTF-8 with byte order mark, CRLF, one root with its Info element first, where Loxone knows
 * its kind, and its commands after it. Attributes are escaped.
 */
export function templateFile(
  root: { name: string; attributes: Attributes; templateType?: number },
  ...commands: readonly { name: string; list: readonly Attributes[] }[]
): string {
  const lines = [
    '<?xml version="1.0" encoding="utf-8"?>',
    `<${root.name}${written(root.attributes)}>`,
    ...(root.templateType === undefined
      ? []
      : [`\t<Info templateType="${root.templateType}" minVersion="17010727"/>`]),
    ...commands.flatMap(({ name, list }) => list.map((attributes) => `\t<${name}${written(attributes)}/>`)),
    `</${root.name}>`,
  ];
  return `\uFEFF${lines.join("\r\n")}\r\n`;
}

function written(attributes: Attributes): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escaped(String(value))}"`)
    .join("");
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Control characters, which XML cannot hold, become spaces. */
function escaped(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not get into the file
  return text.replace(/[\u0000-\u001F\uFFFE\uFFFF]/g, " ").replace(/[&<>"]/g, (sign) => ENTITIES[sign]!);
}
