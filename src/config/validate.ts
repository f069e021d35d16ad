import { namedControls } from "../core/domain/battery.js";
import { type ConfigTexts, textsOf } from "../texts/index.js";
import { SchemaCheck } from "./kit/check.js";
import { faultText } from "./kit/describe.js";
import { childNodes, type KeyPath, type SchemaNode, typesOf } from "./kit/node.js";
import { preparedCheck } from "./kit/prepared-check.js";
import { configurationSchema } from "./schema/index.js";
import type { BatterySettings, NamedBatterySettings, PlantSettings, Settings } from "./settings.js";

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
  | "battery_unknown"
  | "inverter_unknown"
  | "inverter_unused"
  | "inverter_and_own_kw";

/** A problem at a path in the configuration, without the file or variable it comes from. */
export interface SchemaFinding {
  path: KeyPath;
  message: string;
  /** `invalid` where left out. */
  rule?: FindingRule;
}

export const root: SchemaNode = configurationSchema;

/** The file is the operator's: all of its faults are reported at once. */
export const configurationCheck = new SchemaCheck<Settings>(
  root,
  { all: true, defaults: true },
  preparedCheck,
);

/** Applies the defaults to `value` in place and returns all problems. */
export function validate(
  value: unknown,
  texts: ConfigTexts = textsOf("en").config,
): { settings?: Settings; findings: SchemaFinding[] } {
  if (configurationCheck.fits(value)) return { settings: value, findings: [] };
  return {
    findings: configurationCheck.faults(value).map((fault) => ({
      path: fault.path,
      message: faultText(fault, texts, (key) => placesOf(key, root, [])),
      ...(fault.kind === "missing" && { rule: "missing" as const }),
    })),
  };
}

/** Dotted paths outside of lists with a key of this name. */
function placesOf(key: string, node: SchemaNode, path: KeyPath): string[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, child]) => [
    ...(name === key ? [[...path, name].join(".")] : []),
    ...placesOf(key, child, [...path, name]),
  ]);
}

/** A section whose keys are all commented out is null in YAML; the null is removed, so that the defaults apply. */
export function dropEmptySections(value: unknown, nodes: readonly SchemaNode[] = [root]): void {
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

/** Topic on which evcc publishes the load without its loadpoints. */
const EVCC_LOAD_TOPIC = /(^|\/)site\/homePower$/;

/** The wallboxes, where the load of the plant is read from evcc; slot 1 where no wallbox is entered. */
function slotsOutsideOfLoad({ id, slots }: PlantSettings, { mqtt, plants }: Settings): number[] {
  const isFirst = plants[0]?.id === id;
  const isEvcc = mqtt.telemetry.some(
    ({ field, topic, plant }) =>
      field === "load_power_kw" &&
      EVCC_LOAD_TOPIC.test(topic) &&
      (plant === id || (plant === null && isFirst)),
  );
  if (!isEvcc) return [];
  const wallboxes = slots.filter(({ kind }) => kind === "wallbox").map(({ slot }) => slot);
  return wallboxes.length > 0 ? wallboxes : [1];
}

/** Sets empty names (the id of a plant or battery), and `battery` to the sum of `batteries`, and the slots outside of the load. */
export function applyDerivedValues(settings: Settings): void {
  for (const plant of settings.plants) {
    if (plant.name === "") plant.name = plant.id;
    for (const battery of plant.batteries) if (battery.label === "") battery.label = battery.id;
    if (plant.batteries.length > 0) plant.battery = aggregateBattery(plant.batteries);
    plant.telemetry.load_without ??= slotsOutsideOfLoad(plant, settings);
  }
}

/**
 * The battery that stands for all of `batteries` in the plan: energies and powers add up, the SOC band and the reserve are
 * energy-weighted, efficiency and wear weighted by capacity. What not every battery can do or may do, the sum cannot.
 */
export function aggregateBattery(batteries: readonly NamedBatterySettings[]): BatterySettings {
  const sum = (value: (battery: NamedBatterySettings) => number) =>
    batteries.reduce((total, battery) => total + value(battery), 0);
  const capacity = sum(({ capacity_kwh }) => capacity_kwh);
  const weighted = (value: (battery: NamedBatterySettings) => number) =>
    // Rounded, so that equal values stay what they are.
    Number((sum((battery) => value(battery) * battery.capacity_kwh) / capacity).toPrecision(12));
  const controls = batteries.map((battery) => namedControls(battery));
  const isNamed = batteries.some((battery) => battery.controls !== null);
  return {
    capacity_kwh: capacity,
    min_soc_pct: weighted(({ min_soc_pct }) => min_soc_pct),
    max_soc_pct: weighted(({ max_soc_pct }) => max_soc_pct),
    max_charge_power_kw: sum(({ max_charge_power_kw }) => max_charge_power_kw),
    max_discharge_power_kw: sum(({ max_discharge_power_kw }) => max_discharge_power_kw),
    efficiency_pct: weighted(({ efficiency_pct }) => efficiency_pct),
    reserve_pct: weighted(({ reserve_pct }) => reserve_pct),
    wear_ct_kwh: weighted(({ wear_ct_kwh }) => wear_ct_kwh),
    grid_charge_allowed: batteries.every(({ grid_charge_allowed }) => grid_charge_allowed),
    export_allowed: batteries.every(({ export_allowed }) => export_allowed),
    controls: isNamed ? controls[0]!.filter((mode) => controls.every((own) => own.includes(mode))) : null,
  };
}
