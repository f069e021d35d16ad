import type { Language } from "../../core/language.js";
import { textsOf } from "../../texts/index.js";

/** A window of the whole day begins and ends at the same hour. */
const ALL_DAY = { window_start_hour: 0, window_end_hour: 0 };

/** A programme that must not be interrupted. */
const oneRun = (hours: number, power_kw: number, [window_start_hour, window_end_hour]: [number, number]) => ({
  kind: "other",
  power_kw,
  segments: [hours],
  segment_consecutive: "required",
  window_start_hour,
  window_end_hour,
});

/** Flexible devices with usual values. */
export const USUAL_DEVICES: Readonly<Record<string, object>> = {
  wallbox: { kind: "wallbox", power_kw: 11, energy_kwh: 15, window_start_hour: 18, window_end_hour: 7 },
  heat_pump: { kind: "heat_pump", power_kw: 2.5, sg_ready: {} },
  boiler: { kind: "boiler", power_kw: 2, energy_kwh: 5, ...ALL_DAY },
  pool_pump: { kind: "other", power_kw: 0.75, hours: 6, window_start_hour: 8, window_end_hour: 20 },
  washing_machine: oneRun(2, 0.5, [8, 20]),
  dishwasher: oneRun(2, 0.6, [20, 6]),
};

/** A device of a kind with usual values, without number and name. */
export function usualSlot(kind: "wallbox" | "boiler" | "heat_pump" | "other"): object {
  return USUAL_DEVICES[kind === "other" ? "pool_pump" : kind]!;
}

/** The texts of the fields of a usual device, with its name in a language. */
export function usualTexts(kind: string, language: Language): Record<string, string> {
  const names: Readonly<Record<string, string>> = textsOf(language).ems.usualDevices;
  const { sg_ready, ...values } = USUAL_DEVICES[kind] as Record<string, unknown>;
  return {
    label: names[kind] ?? "",
    ...Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value)])),
    ...(sg_ready !== undefined && { "sg_ready.dwell_min": "15" }),
  };
}
