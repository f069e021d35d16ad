import { allowedText } from "../../src/config/kit/describe.js";
import { type SchemaNode, typesOf } from "../../src/config/kit/node.js";
import { configurationSchema } from "../../src/config/schema/index.js";
import { noUrl } from "../../src/config/schema/market.js";
import { textsOf } from "../../src/texts/index.js";

const TEXTS = textsOf("en").config;
/** What the table says in fewer words than a message does. */
const SHORTER: readonly (readonly [RegExp, string])[] = [
  [/\ba whole number from (\S+) to (\S+?)(?=[ ,]|$)/g, "whole $1…$2"],
  [/\ba number from (\S+) to (\S+?)(?=[ ,]|$)/g, "$1…$2"],
  [/\ba number above (\S+) up to (\S+?)(?=[ ,]|$)/g, ">$1…$2"],
  [/\btrue or false\b/g, "true, false"],
  [/\ba section of keys\b/g, "section"],
  [/\ba list of at most (\d+) entries, each (?:one of |an? )?/g, "up to $1: "],
  [/\ba list of at most (\d+) entries\b/g, "up to $1"],
  [/\ba list of (\d+) to (\d+) entries(?:, each (?:one of |an? )?)?/g, "$1 to $2: "],
  [/\bone of /g, ""],
  [/\ban address that starts with http:\/\/ or https:\/\//g, "http(s) address"],
  [/\ban address that starts with (\S+:\/\/).*?(?=, or null|$)/g, "$1… address"],
  [/\ba time of day as HH:MM, such as "13:00"/g, "HH:MM"],
  [/\ba time of day, /g, ""],
  [/\ba date as YYYY-MM-DD, such as "2026-01-01"/g, "YYYY-MM-DD"],
  [/\bthe path of a file or folder\b/g, "path"],
  [/\b1 to 32 characters of a-z, 0-9, _ and -/g, "1…32 of a-z0-9_-"],
  [/, such as [^,]*?(?=, or null|$)/g, ""],
  [/\b(?:an )?MQTT topic, where \+ matches one level and a final # all levels below/g, "topic with + and #"],
  [/\ba topic without \+ and #.*?(?=, or null|$)/g, "topic"],
  [/\bhg_live_ followed by .*?(?=, or null|$)/g, "hg_live_…"],
  [/\btext of at most (\d+) characters\b/g, "text up to $1"],
  [/\btext of 1 to (\d+) characters\b/g, "text 1…$1"],
  [/(?:slot (\d), sg_ready \1, )+slot (\d), sg_ready \2/g, "slot 1…$2, sg_ready 1…$2"],
  [/(?:slot \d, )+slot (\d)/g, "slot 1…$1"],
  [/\ba list of at least 1 and at most (\d+) entries(?:, each )?/g, "1 to $1: "],
  [/\ba list, each /g, ""],
  [/\ban MQTT topic without wildcards\b/g, "topic without wildcards"],
  [/\b(?:a )?host name or an IP address\b/g, "host name or IP address"],
  [/\ba list of 24 entries, each /g, "24 of "],
  [/\bwhole [01]…1000000000 \(.*?\)/g, ""],
  [/, or null$/, ", null"],
];
const FORMAT_TEXTS: Readonly<Record<string, string>> = TEXTS.allowed.formats;

/** The schema for editors, config/hourgate.schema.json: standard keywords only, units in the text. */
export function editorSchema(): object {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "hourgate configuration",
    ...forEditors(configurationSchema),
  };
}

function forEditors(node: SchemaNode): Record<string, unknown> {
  const { unit, format, description, ...rest } = node;
  const allowed = format === undefined ? undefined : FORMAT_TEXTS[format];
  const text = [description, unit && `Unit: ${unit}.`, allowed && `Allowed: ${allowed}.`];
  const standard = Object.entries(rest).filter(([key]) => key !== "discriminator");
  return Object.fromEntries([
    ...(description === undefined ? [] : [["description", text.filter(Boolean).join(" ")]]),
    ...standard.map(([key, value]) => {
      if (key === "properties") return [key, mapValues(value as Record<string, SchemaNode>, forEditors)];
      if (key === "items") return [key, forEditors(value as SchemaNode)];
      return key === "oneOf" ? [key, (value as SchemaNode[]).map(forEditors)] : [key, value];
    }),
  ]);
}

const mapValues = <In, Out>(map: Record<string, In>, change: (value: In) => Out) =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));

const LINE_WIDTH = 110;

/** JSON text in the format of this project's formatter: lists of plain values on one line if they fit. */
export function jsonText(value: unknown, indent = "", key = ""): string {
  const start = `${indent}${key}`;
  if (typeof value !== "object" || value === null) return start + JSON.stringify(value);
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const line = `${start}[${value.map((entry) => jsonText(entry)).join(", ")}]`;
    // One character is reserved for a comma.
    if (!line.includes("{") && line.length < LINE_WIDTH) return line;
    return `${start}[\n${value.map((entry) => jsonText(entry, inner)).join(",\n")}\n${indent}]`;
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return `${start}{}`;
  const lines = entries.map(([name, entry]) => jsonText(entry, inner, `${JSON.stringify(name)}: `));
  return `${start}{\n${lines.join(",\n")}\n${indent}}`;
}

/** docs/configuration.md: every key with default, allowed values and meaning. */
export function configurationReference(): string {
  const root: SchemaNode = configurationSchema;
  const sections = Object.entries(root.properties ?? {}).map(([key, node]) => {
    const rows = rowsOf(node, key);
    // A section of one key says itself what it means, as does one whose meaning is its name.
    const isNamed = node.description?.toLowerCase().replaceAll(/\W/g, "") === key.replaceAll("_", "");
    const meaning = rows[0]?.key === key || isNamed ? [] : [node.description, ""];
    const entries = key === "quotas" ? [QUOTAS] : key === "limits" ? budgetTexts(node, key) : rowTexts(rows);
    return [`## ${key}`, "", ...meaning, ...entries, ""].join("\n");
  });
  return `${INTRODUCTION}\n${sections.join("\n")}`;
}

interface Row {
  key: string;
  node: SchemaNode;
  required: boolean;
}

function rowsOf(node: SchemaNode, key: string, required = false): Row[] {
  const rows: Row[] =
    isPlainSection(node) || node.description === noUrl.description ? [] : [{ key, node, required }];
  for (const [name, child] of Object.entries(node.properties ?? {}))
    rows.push(...rowsOf(child, `${key}.${name}`, node.required?.includes(name) ?? false));
  if (node.items !== undefined) rows.push(...entryRows(node.items, `${key}[]`));
  return rows;
}

/** Rows of the entries of a list; for entries with several kinds, each kind with its keys, and once what all kinds have. */
function entryRows(items: SchemaNode, key: string): Row[] {
  const kinds = items.oneOf?.map((kind) => ({ kind, name: String(kind.properties?.type?.const) }));
  if (kinds === undefined) return items.properties === undefined ? [] : rowsOf(items, key);
  const shared = new Map<string, { row: Row; names: string[] }>();
  for (const { kind, name } of kinds)
    for (const row of rowsOf(kind, "").filter(({ node }) => node !== kind && node.const === undefined)) {
      const same = `${row.key} ${cellsOf(row)}`;
      shared.set(same, { row, names: [...(shared.get(same)?.names ?? []), name] });
    }
  return [
    ...kinds.map(({ kind, name }) => ({
      key: `${key}.type: ${name}`,
      node: { description: kind.description ?? "" },
      required: false,
    })),
    ...[...shared.values()].map(({ row, names }) => ({
      ...row,
      key: `${key}${names.length === kinds.length ? "" : ` (${names.join(", ")})`}${row.key}`,
    })),
  ];
}

const isPlainSection = (node: SchemaNode) =>
  node.properties !== undefined && typesOf(node).join() === "object";

/** The limits of each plan are in one table of the specification. */
const QUOTAS =
  "`quotas.<plan>.<class>`: the plans `basic` (`decision` only), `community`, `trial`, `professional` and `oem`; the classes `decision`, `telemetry`, `pv` and `weather`. [Defaults and meaning](spec/http-api.md#4-quotas).";

const isNumber = (node: SchemaNode) => typesOf(node).every((type) => type === "integer" || type === "number");

const isLimit = (node: SchemaNode) =>
  node.properties === undefined && node.default !== undefined && isNumber(node);

/** What all budgets say of their keys; the introduction of the section says it once. */
const OF_BUDGETS = /^Limit for (?:all clients together|one sign-in|one address|one client)\b[^;]*?\.$/;

/** A line for each section of numbers: its meaning, and its keys with their defaults. */
function budgetTexts(node: SchemaNode, key: string): string[] {
  const children = Object.entries(node.properties ?? {});
  const keys = children
    .filter(([, child]) => isLimit(child))
    .map(([name, child]) => {
      const meaning = child.description ?? "";
      return `\`${name}\` (\`${child.default}\`)${OF_BUDGETS.test(meaning) ? "" : `: ${meaning.replace(/\.$/, "")}`}`;
    });
  const inner = children.flatMap(([name, child]) =>
    child.properties === undefined ? [] : budgetTexts(child, `${key}.${name}`),
  );
  return keys.length === 0 ? inner : [`- \`${key}\`: ${node.description} ${keys.join("; ")}.`, ...inner];
}

/** The list of the keys. Keys with the same default, allowed values and meaning share an entry. */
function rowTexts(rows: readonly Row[]): string[] {
  const keys = new Map<string, string[]>();
  for (const row of rows) {
    const cells = cellsOf(row);
    keys.set(cells, [...(keys.get(cells) ?? []), `\`${row.key}\``]);
  }
  return [...keys].map(([cells, names]) => `- ${names.join(", ")}${cells}`);
}

/** What the name of a key says: its unit, or that it is a port. */
const UNIT_IN_NAME =
  /(?:^|_)(kw|kwh|pct|minutes?|min|hours?|seconds|s|c|w|deg|days|eur|eur_year|eur_month|eur_kw_year|ct_kwh|kwh_year)$|litres|port|latitude|longitude|slots?$/;

/** Kinds that the default or the meaning shows, and lengths of texts and lists that only keep out slips. */
const PLAIN = /^(?:up to \d+(?:: |$))?(?:(?:text(?: up to \d+| 1…\d+)?|path|1…32 of a-z0-9_-)$)?/;

/** Bounds that only keep out slips: of ports, shares, prices, and amounts with a unit in their name. */
const WIDE = /^(?:whole 0…65535|whole 1…65535|0…100|[>-]?\d+…(?:1000|10000|100000|1000000))$/;

/** Defaults that an entry leaves out. */
const EMPTY: ReadonlySet<string> = new Set(["null", "[]", "{}", '""']);

/** Default, allowed values and meaning. What the default or the name says already is no allowed value. */
function cellsOf({ key, node, required }: Row): string {
  const shown = JSON.stringify(node.default);
  const standard = node.default === undefined || EMPTY.has(shown) ? "" : `\`${shown}\``;
  const name = key.split(".").at(-1)!;
  const allowed = SHORTER.reduce(
    (text, [long, short]) => text.replace(long, short),
    typesOf(node).length === 0 ? "" : allowedText(node, TEXTS),
  );
  const implied = node.default === undefined ? /^$/ : /^(?:true, false|section, null)$|, null$/;
  const values = allowed
    .replace(implied, "")
    .replace(UNIT_IN_NAME.test(name) ? / \([^)]*\)/g : /^$/, "")
    .replace(/: $/, "")
    .replace(UNIT_IN_NAME.test(name) ? WIDE : /^$/, "")
    .replace(PLAIN, "");
  const facts = [required ? "required" : standard, values].filter((text) => text !== "");
  return `${facts.length === 0 ? "" : ` (${facts.join("; ")})`}: ${node.description ?? ""}`;
}

const INTRODUCTION = `# Configuration

One YAML file: that of \`--config\` or \`HOURGATE_CONFIG\`, otherwise \`config/hourgate.yaml\`. Without a file, or in an empty
section, the defaults apply. Relative paths start at the working directory. \`hourgate check\` validates it.

An entry has the key, its default (none: null or empty), what is allowed, and the meaning. \`0…100\` are numbers, \`whole 0…100\` whole ones, \`>0\` excludes 0.
The default is always allowed. Wide bounds and lengths are left out; an id has 1 to 32 of a-z, 0-9, _ and -. \`[] (file)\` belongs to entries of that type.

Environment variables override the file: \`HOURGATE_\`, then the keys in capitals joined by two underscores; list entries are
numbered from 0. Values are parsed as YAML.

| Variable | Sets |
| --- | --- |
| \`HOURGATE_CONFIG=/etc/hourgate.yaml\` | the file |
| \`HOURGATE_DATA_DIR=/var/lib/hourgate\` | \`data_dir\` |
| \`HOURGATE_HTTP__PORT=8081\` | \`http.port\` |
| \`HOURGATE_PLANTS__0__BATTERY__CAPACITY_KWH=12\` | the capacity of the first plant's battery |
| \`HOURGATE_MARKET__SOURCES='[{type: file, path: prices.csv}]'\` | the whole list of price sources |
| \`HOURGATE_OWNER__PASSWORD_FILE=/run/secrets/password\` | \`owner.password\` from that file; works for every password, key and token |

This page and \`config/hourgate.schema.json\`, for completion in editors, are generated.
`;
