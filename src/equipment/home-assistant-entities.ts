import { isRecord } from "../core/net/json.js";

/** An entity of Home Assistant that can be the source of a reading. */
export interface OfferedEntity {
  id: string;
  name: string;
  unit: string;
  /** Its last value as Home Assistant states it. */
  state: string;
}

interface Wanted {
  domain: "sensor" | "binary_sensor";
  /** Device classes of Home Assistant. */
  classes: readonly string[];
  units: readonly string[];
  /** Words in ids and names that make an entity likely. */
  words: RegExp;
}

const sensor = (classes: string[], units: string[], words: RegExp): Wanted => ({
  domain: "sensor",
  classes,
  units,
  words,
});
const power = (words: RegExp) => sensor(["power"], ["W", "kW", "MW"], words);
const energy = (words: RegExp) => sensor(["energy"], ["Wh", "kWh", "MWh"], words);
const stored = (words: RegExp) => sensor(["battery"], ["%"], words);

/** What each reading can come from. */
const WANTED: Readonly<Record<string, Wanted>> = {
  grid_power_kw: power(/grid|netz|meter|z(ä|ae)hler/i),
  import_kwh: energy(/import|bezug|consum.*grid|grid.*consum|from_grid|1_8_0/i),
  export_kwh: energy(/export|feed|einspeis|return|to_grid|2_8_0/i),
  pv_power_kw: power(/pv|solar|photovolt|inverter|wechselrichter/i),
  pv_kwh: energy(/pv|solar|yield|ertrag|photovolt/i),
  battery_power_kw: power(/batter|akku|speicher/i),
  soc_pct: stored(/batter|akku|speicher|soc|state_of_charge/i),
  charge_kwh: energy(/^(?!.*(discharg|entlad))(.*(batter|akku|speicher).*(charg|lad|in)|.*charge)/i),
  discharge_kwh: energy(/(batter|akku|speicher).*(discharg|entlad|out)|discharge/i),
  load_power_kw: power(/load|house|home|haus|consum|verbrauch/i),
  power_kw: power(/wallbox|charger|boiler|heat|w(ä|ae)rme|pump/i),
  energy_kwh: energy(/wallbox|charger|boiler|heat|w(ä|ae)rme|pump/i),
  vehicle_soc_pct: stored(/car|vehicle|auto|ev\b|soc/i),
  temperature_c: sensor(["temperature"], ["°C"], /water|wasser|boiler|tank|speicher/i),
  connected: {
    domain: "binary_sensor",
    classes: ["plug", "connectivity"],
    units: [],
    words: /car|ev|plug|wallbox|charger/i,
  },
};

/**
 * The entities in the answer of `/api/states` that fit each reading by device class and unit, the likely ones first. Units are
 * those of the entity; nothing is guessed. Empty for any other answer.
 */
export function entityChoices(answer: unknown): Readonly<Record<string, OfferedEntity[]>> {
  const states = Array.isArray(answer) ? answer.flatMap(entityOf) : [];
  return Object.fromEntries(
    Object.entries(WANTED).map(([reading, wanted]) => {
      const fitting = states
        .filter(({ entity, deviceClass }) => fits(entity, deviceClass, wanted))
        .map(({ entity }) => entity);
      const isLikely = ({ id, name }: OfferedEntity) => wanted.words.test(id) || wanted.words.test(name);
      const byName = fitting.toSorted((a, b) => a.name.localeCompare(b.name) || a.id.localeCompare(b.id));
      return [reading, [...byName.filter(isLikely), ...byName.filter((one) => !isLikely(one))]];
    }),
  );
}

function fits({ id, unit }: OfferedEntity, deviceClass: string, { domain, classes, units }: Wanted): boolean {
  return (
    id.startsWith(`${domain}.`) &&
    classes.includes(deviceClass) &&
    (units.length === 0 || units.includes(unit))
  );
}

function entityOf(state: unknown): { entity: OfferedEntity; deviceClass: string }[] {
  if (!isRecord(state) || typeof state.entity_id !== "string" || typeof state.state !== "string") return [];
  const attributes = isRecord(state.attributes) ? state.attributes : {};
  const text = (name: string) => (typeof attributes[name] === "string" ? attributes[name] : "");
  return [
    {
      entity: {
        id: state.entity_id,
        name: text("friendly_name") || state.entity_id,
        unit: text("unit_of_measurement"),
        state: state.state,
      },
      deviceClass: text("device_class"),
    },
  ];
}
