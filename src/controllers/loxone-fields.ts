import type { Language } from "../language.js";
import { READINGS, type Reading } from "../telemetry/sample.js";

/** A value that a Miniserver reads out of the line. */
export interface LoxoneInput {
  /** Its key in the line. */
  key: string;
  name: Readonly<Record<Language, string>>;
  min: number;
  max: number;
  /** As Loxone formats it. */
  unit: string;
  /** Topic below the plant that has the same value. */
  topic?: string;
}

/** Loxone's own limits of 10 000 would cut a time or a meter; these hold whatever the gateway says. */
const MOST = 1_000_000;
const MOST_MINUTES = 10_080;

/** The values of the template, in its order: what a house is run by comes first. */
export const INPUTS: readonly LoxoneInput[] = [
  input("OK", ["Daten gültig", "Data valid"], 0, 1, "<v>"),
  input("AGE", ["Alter des Plans", "Age of the plan"], -1, MOST, "<v> s"),
  input("O1", ["Akku laden", "Charge battery"], 0, 1, "<v>", "outputs/O1"),
  input("O2", ["Ladeleistung", "Charging power"], 0, MOST, "<v.2> kW", "outputs/O2"),
  input("O12", ["Entladegrenze", "Discharge cap"], 0, MOST, "<v.2> kW", "outputs/O12"),
  input("O9", ["Laden bis Ladestand", "Charge up to"], 0, 100, "<v.1> %", "outputs/O9"),
  input("O11", ["Mindestladestand", "Minimum state of charge"], 0, 100, "<v.1> %", "outputs/O11"),
  input("O13", ["Netzladen erlaubt", "Grid charging allowed"], 0, 1, "<v>", "outputs/O13"),
  input("O6", ["Minuten bis Laden", "Minutes to charging"], -1, MOST_MINUTES, "<v> min", "outputs/O6"),
  input("O3", ["Ladestunden gesamt", "Charging hours"], 0, MOST, "<v.2> h", "outputs/O3"),
  input("O4", ["Ladestunden heute", "Charging hours today"], 0, MOST, "<v.2> h", "outputs/O4"),
  input("O5", ["Ladeenergie", "Energy to charge"], 0, MOST, "<v.1> kWh", "outputs/O5"),
  input("PRICE", ["Strompreis", "Electricity price"], -MOST, MOST, "<v.2> ct/kWh", "price/now_ct_kwh"),
  input("O7", ["Preisviertel", "Price quartile"], 1, 4, "<v>", "price/quartile"),
  input("O10", ["Entladung angepasst", "Adaptive discharge"], 0, 1, "<v>", "outputs/O10"),
  input("SOC", ["Ladestand", "State of charge"], -1, 100, "<v.1> %"),
  input("SOC_AGE", ["Alter des Ladestands", "Age of the state of charge"], -1, MOST, "<v> min"),
];

/** The values of one slot. */
export function slotInputs({ slot, label }: { slot: number; label: string }): LoxoneInput[] {
  const device = label === "" ? `Slot ${slot}` : label;
  return [
    input(`S${slot}`, [`${device} ein`, `${device} on`], 0, 1, "<v>", `slots/${slot}/charge_now`),
    input(`N${slot}`, [`${device} Start in`, `${device} starts in`], -1, MOST_MINUTES, "<v> min"),
  ];
}

/** A reading that a Miniserver tells. */
export interface LoxoneReading {
  field: Reading;
  name: Readonly<Record<Language, string>>;
  /** Loxone's placeholder of the value. */
  value: string;
  min: number;
  max: number;
}

/** The readings in the order of the template; ranges as the gateway takes them. */
export const READINGS_SENT: readonly LoxoneReading[] = [
  reading("soc_pct", ["Ladestand senden", "Send state of charge"], "<v.1>"),
  reading("import_kwh", ["Zähler Bezug senden", "Send import meter"], "<v.3>"),
  reading("export_kwh", ["Zähler Einspeisung senden", "Send export meter"], "<v.3>"),
  reading("pv_power_kw", ["PV-Leistung senden", "Send PV power"], "<v.3>"),
  reading("load_power_kw", ["Hausverbrauch senden", "Send house load"], "<v.3>"),
  reading("battery_power_kw", ["Akkuleistung senden", "Send battery power"], "<v.3>"),
  reading("ev_power_kw", ["Wallboxleistung senden", "Send wallbox power"], "<v.3>"),
  reading("ev_connected", ["Auto angesteckt senden", "Send car connected"], "<v>"),
];

function input(
  key: string,
  [de, en]: readonly [string, string],
  min: number,
  max: number,
  unit: string,
  topic?: string,
): LoxoneInput {
  return { key, name: { de, en }, min, max, unit, ...(topic !== undefined && { topic }) };
}

function reading(field: Reading, [de, en]: readonly [string, string], value: string): LoxoneReading {
  return { field, name: { de, en }, value, ...READINGS[field] };
}
