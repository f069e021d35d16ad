import type { Language } from "../../core/language.js";
import { VIENNA } from "../../core/time/zone.js";
import type { ShownReading } from "../../equipment/reading/kept-reading.js";
import { formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";

type Readings = Readonly<Record<string, Pick<ShownReading, "value" | "unit">>>;

/** Powers that are shown first, with what a positive and a negative value means. */
const WAYS = {
  grid_power_kw: ["import", "export"],
  battery_power_kw: ["charging", "discharging"],
} as const;

/** A value with its unit and direction, such as `−1.1 kW (into the grid)`; a dash for none. */
export function readingText(
  name: string,
  { value, unit }: Pick<ShownReading, "value" | "unit">,
  language: Language,
): string {
  const texts = textsOf(language).devicePages;
  if (value === null) return "–";
  if (unit === "") return value === 0 ? texts.no : texts.yes;
  const { number } = formatOf(language, VIENNA);
  const ways = Object.hasOwn(WAYS, name) ? WAYS[name as keyof typeof WAYS] : undefined;
  const text = `${number(value, unit === "%" ? 0 : 1)} ${unit}`;
  if (ways === undefined || value === 0) return text;
  const sign = value > 0 && name === "battery_power_kw" ? "+" : "";
  return `${sign}${text} (${texts.direction[ways[value > 0 ? 0 : 1]]})`;
}

/** The main readings in one line: `PV 3.2 kW, grid −1.1 kW (into the grid), battery +2.0 kW (charging), 41 %`. */
export function readingsLine(readings: Readings, language: Language): string {
  const texts = textsOf(language).devicePages;
  const shown = MAIN.flatMap((name) => {
    const reading = readings[name];
    if (reading === undefined || reading.value === null) return [];
    const label = name === "soc_pct" && readings.battery_power_kw?.value != null ? "" : texts.short[name];
    return [`${label} ${readingText(name, reading, language)}`.trim()];
  });
  return shown.join(", ");
}

/** The readings that say what a device does now, in their order. */
export const MAIN = [
  "pv_power_kw",
  "grid_power_kw",
  "battery_power_kw",
  "soc_pct",
  "load_power_kw",
  "power_kw",
  "temperature_c",
] as const;
