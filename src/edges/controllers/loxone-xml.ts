type Attributes = Readonly<Record<string, string | number | boolean>>;

/** Values of `templateType` in the Info element. */
export const TEMPLATE_TYPES = { httpInput: 2, output: 3 } as const;

/**
 * A Loxone template file: UTF-8 with byte order mark, CRLF, one root element with its Info element (if there is a
 * template type) and its commands. Attributes are escaped.
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

/** Replaces control characters, which XML 1.0 does not allow, by spaces. */
function escaped(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are matched on purpose
  return text.replace(/[\u0000-\u001F\uFFFE\uFFFF]/g, " ").replace(/[&<>"]/g, (sign) => ENTITIES[sign]!);
}
