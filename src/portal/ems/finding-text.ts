import { type ConfigSchemaNode, typesOf } from "../../config/schema/node.js";
import type { Language } from "../../language.js";
import { unitText } from "./labels.js";

/** The configuration's rules that a schema cannot say, by how their sentence begins. */
const GERMAN_RULES: readonly (readonly [start: RegExp, german: string])[] = [
  [/^must be below max_soc_pct \((.+?)\)/, "Muss unter dem größten Ladestand ($1 %) liegen."],
  [/^is missing: latitude and longitude/, "Breite und Länge werden nur gemeinsam angegeben."],
  [/^is missing: window_start_hour and/, "Beginn und Ende des Zeitfensters werden nur gemeinsam angegeben."],
  [/^is missing: a fixed feed-in/, "Ein fester Einspeisepreis braucht seinen Betrag."],
  [/^cannot be given together with energy_kwh/, "Entweder Energie oder Stunden angeben, nicht beides."],
  [/^must have at least one weight/, "Mindestens ein Gewicht muss über 0 liegen."],
  [/^must be unique/, "Gibt es schon."],
];

const GERMAN_FORMATS: Readonly<Record<string, string>> = {
  "time-zone": "eine IANA-Zeitzone wie Europe/Vienna",
  "month-range": 'zwei Monate von 1 bis 12, etwa "4-9"',
  "hour-range": 'eine Stunde von 0 bis 23 und eine bis 24, etwa "10-16"',
  "mqtt-filter": "ein MQTT-Topic, in dem + für eine Ebene und # am Ende für alle darunter steht",
};

/** The sentence beside a field: a finding of the configuration's check in the language of the page. */
export function findingText(message: string, node: ConfigSchemaNode | undefined, language: Language): string {
  if (language === "en") return message.charAt(0).toUpperCase() + message.slice(1);
  for (const [start, german] of GERMAN_RULES) {
    const match = start.exec(message);
    if (match !== null) return german.replace("$1", (match[1] ?? "").replace(".", ","));
  }
  if (node === undefined) return message;
  return message.startsWith("is missing")
    ? `Fehlt: Hier steht ${germanAllowed(node)}.`
    : `Passt nicht: Hier steht ${germanAllowed(node)}.`;
}

/** What a field takes, in German: `eine Zahl von 0 bis 100 (%)`. */
function germanAllowed(node: ConfigSchemaNode): string {
  const types = typesOf(node);
  const orEmpty = types.includes("null") ? " oder nichts" : "";
  return bare(node, types) + orEmpty;
}

function bare(node: ConfigSchemaNode, types: readonly string[]): string {
  if (node.enum !== undefined) return `eines von ${node.enum.map(String).join(", ")}`;
  if (types.includes("array"))
    return node.minItems !== undefined && node.minItems === node.maxItems
      ? `eine Reihe von ${node.minItems} Zahlen`
      : "eine Reihe von Zahlen";
  if (types.includes("integer")) return `eine ganze Zahl ${range(node)}`.trim();
  if (types.includes("number")) return `eine Zahl ${range(node)}`.trim();
  if (types.includes("boolean")) return "ja oder nein";
  const format = node.format === undefined ? undefined : GERMAN_FORMATS[node.format];
  return (
    format ?? (node.maxLength === undefined ? "ein Text" : `ein Text von höchstens ${node.maxLength} Zeichen`)
  );
}

function range(node: ConfigSchemaNode): string {
  const number = (value: number) => String(value).replace(".", ",");
  const low =
    node.exclusiveMinimum !== undefined
      ? `über ${number(node.exclusiveMinimum)}`
      : node.minimum === undefined
        ? ""
        : `von ${number(node.minimum)}`;
  const high = node.maximum === undefined ? "" : `bis ${number(node.maximum)}`;
  const unit = unitText(node.unit, "de");
  return [low, high, unit === "" ? "" : `(${unit})`].filter((part) => part !== "").join(" ");
}
