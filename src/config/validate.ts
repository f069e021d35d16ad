import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import { type ConfigTexts, textsOf } from "../texts/index.js";
import { aggregateBattery } from "./aggregate-battery.js";
import { FORMATS } from "./formats.js";
import { configurationSchema } from "./schema/index.js";
import { type ConfigSchemaNode, childNodes, type KeyPath, keysOf, typesOf } from "./schema/node.js";
import type { Settings } from "./settings.js";
import { didYouMean } from "./suggest.js";
import { allowedText, mustBe } from "./wording.js";

/** The violated rule; the portal has texts for those of the plant. */
export type FindingRule =
  | "missing"
  | "invalid"
  | "soc_order"
  | "location_incomplete"
  | "feed_in_price_missing"
  | "weights_zero"
  | "window_incomplete"
  | "energy_and_hours"
  | "vehicle_kind"
  | "store_kind"
  | "sg_ready_kind"
  | "target_soc_order"
  | "departure_missing"
  | "charging_power_order"
  | "temperature_order"
  | "store_power_missing"
  | "slot_reading"
  | "duplicate"
  | "battery_and_batteries"
  | "battery_unknown";

/** A problem at a path in the configuration, without the file or variable it comes from. */
export interface SchemaFinding {
  path: KeyPath;
  message: string;
  /** `invalid` where left out. */
  rule?: FindingRule;
}

export const root: ConfigSchemaNode = configurationSchema;

let compiled: ReturnType<typeof compile> | undefined;

function compile() {
  const ajv = new Ajv2020({
    // The schema is used once per start: optimising the generated code takes longer than it saves.
    code: { optimize: false },
    // Validating the schema itself would compile the meta-schemas first; a test does that.
    validateSchema: false,
    allErrors: true,
    useDefaults: true,
    verbose: true,
    discriminator: true,
    allowUnionTypes: true,
    formats: Object.fromEntries(Object.entries(FORMATS).map(([name, format]) => [name, format.valid])),
  });
  ajv.addVocabulary(["unit"]);
  return ajv.compile<Settings>(configurationSchema);
}

/** Applies the defaults to `value` in place and returns all problems. */
export function validate(
  value: unknown,
  texts: ConfigTexts = textsOf("en").config,
): { settings?: Settings; findings: SchemaFinding[] } {
  compiled ??= compile();
  const check = compiled;
  if (check(value)) return { settings: value, findings: [] };
  const findings = new Map<string, SchemaFinding>();
  for (const error of check.errors ?? []) {
    const finding = findingOf(error, texts);
    const id = JSON.stringify(finding.path);
    // Several keywords may fail for one value (type and format); the first message already says what is allowed.
    if (!findings.has(id)) findings.set(id, finding);
  }
  return { findings: [...findings.values()] };
}

function findingOf(error: ErrorObject, texts: ConfigTexts): SchemaFinding {
  const path = error.instancePath
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  const node = (error.parentSchema ?? {}) as ConfigSchemaNode;
  switch (error.keyword) {
    case "additionalProperties": {
      const key = String(error.params.additionalProperty);
      return { path: [...path, key], message: unknownKey(key, keysOf([node]), texts) };
    }
    case "required": {
      const key = String(error.params.missingProperty);
      return { path: [...path, key], message: missing(childNodes(node, key), texts), rule: "missing" };
    }
    case "discriminator": {
      const kinds = (node.oneOf ?? []).map((variant) => String(variant.properties?.type?.const));
      const kind: unknown = error.params.tagValue;
      const hint = typeof kind === "string" ? didYouMean(kind, kinds, texts) : "";
      const description = { type: "string", enum: kinds };
      return { path: [...path, "type"], message: mustBe(description, kind, texts) + hint };
    }
    case "enum": {
      const hint =
        typeof error.data === "string" ? didYouMean(error.data, (node.enum ?? []).map(String), texts) : "";
      return { path, message: mustBe(node, error.data, texts) + hint };
    }
    default:
      return { path, message: mustBe(node, error.data, texts) };
  }
}

/** The sentence for a missing key; `nodes` describe it, one per kind of its section. */
function missing(nodes: readonly ConfigSchemaNode[], texts: ConfigTexts): string {
  const [node] = nodes;
  if (node === undefined) return texts.schema.missing(undefined);
  const wanted = nodes.length === 1 ? node : { enum: nodes.map((kind) => kind.const) };
  return texts.schema.missing(allowedText(wanted, texts));
}

/** The sentence for a key that is not among `known`; names the section that has it, if there is exactly one. */
function unknownKey(key: string, known: readonly string[], texts: ConfigTexts): string {
  const { schema } = texts;
  const hint = didYouMean(key, known, texts);
  if (hint !== "") return schema.unknown + hint;
  const elsewhere = placesOf(key, root, []);
  if (elsewhere.length === 1) return schema.unknownHere(elsewhere[0]!);
  return known.length === 0 ? schema.unknown : schema.unknownAmong(known.join(", "));
}

/** Dotted paths outside of lists with a key of this name. */
function placesOf(key: string, node: ConfigSchemaNode, path: KeyPath): string[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, child]) => [
    ...(name === key ? [[...path, name].join(".")] : []),
    ...placesOf(key, child, [...path, name]),
  ]);
}

/** A section whose keys are all commented out is null in YAML; the null is removed, so that the defaults apply. */
export function dropEmptySections(value: unknown, nodes: readonly ConfigSchemaNode[] = [root]): void {
  if (typeof value !== "object" || value === null) return;
  for (const key of Object.keys(value)) {
    const below = nodes.flatMap((node) => childNodes(node, key));
    const child = (value as Record<string, unknown>)[key];
    const sectionOnly =
      below.length > 0 &&
      below.every(
        (node) =>
          node.default !== undefined && typesOf(node).every((type) => type === "object" || type === "array"),
      );
    if (child === null && sectionOnly && !Array.isArray(value))
      delete (value as Record<string, unknown>)[key];
    else dropEmptySections(child, below);
  }
}

const KIND_NAMES = { wallbox: "Wallbox", heat_pump: "Heat pump", boiler: "Boiler", other: "Device" } as const;

/** Sets empty names (the id of a plant or battery, the kind and number of a slot), and `battery` to the sum of `batteries`. */
export function applyDerivedValues(settings: Settings): void {
  for (const plant of settings.plants) {
    if (plant.name === "") plant.name = plant.id;
    for (const battery of plant.batteries) if (battery.label === "") battery.label = battery.id;
    if (plant.batteries.length > 0) plant.battery = aggregateBattery(plant.batteries);
    for (const slot of plant.slots)
      if (slot.label === "") slot.label = `${KIND_NAMES[slot.kind]} ${slot.slot}`;
  }
}
