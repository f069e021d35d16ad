import type { Site } from "../../config/site.js";
import type { Language } from "../../core/language.js";
import { VIENNA } from "../../core/time/zone.js";
import type { DeviceError } from "../../equipment/command.js";
import type { ShownReading } from "../../equipment/reading/kept-reading.js";
import { parseControls } from "../../equipment/states.js";
import { deviceLabel } from "../../plan/windows/slot-schedule.js";
import { formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";

/** The path of the pages. */
export const DEVICES_PATH = "/devices";
export const ADD_PATH = `${DEVICES_PATH}/add`;
export const SOURCES_PATH = `${DEVICES_PATH}/sources`;
export const CHECK_PATH = `${DEVICES_PATH}/check`;
export const FIND_PATH = `${DEVICES_PATH}/find`;

/** The address of the page of one device. */
export function deviceUrl(siteId: string, id: string): string {
  return `${DEVICES_PATH}/device?${new URLSearchParams({ site: siteId, id })}`;
}

/** The page that shows what the device of a draft says. */
export function checkUrl(siteId: string, token: string): string {
  return `${CHECK_PATH}?${new URLSearchParams({ site: siteId, draft: token })}`;
}

/** What an actuator controls, in words. */
export function controlsText(controls: string, site: Site, language: Language): string {
  const texts = textsOf(language).actuators.controls;
  const parsed = parseControls(controls);
  if (parsed === undefined) return controls;
  const slot = site.plant.slots.find((one) => one.slot === parsed.slot);
  const label = slot === undefined ? "" : deviceLabel(slot, language);
  if (parsed.control === "slot") return texts.slot(parsed.slot ?? 0, label);
  if (parsed.control !== "sg_ready" || parsed.slot === undefined) return texts[parsed.control];
  return `${texts.sg_ready}, ${texts.slot(parsed.slot, label)}`;
}

/** A state with its power, such as `charge, 3.2 kW`. */
export function stateText(
  { state, powerKw }: { state: string; powerKw: number },
  language: Language,
): string {
  const { actuators, format } = textsOf(language);
  const name = actuators.states[state] ?? state;
  if (powerKw === 0) return name;
  return `${name}, ${powerKw.toLocaleString(format.locale, { maximumFractionDigits: 2 })} kW`;
}

/** What a device answered, in plain words with the technical sentence. */
export function deviceFaultText({ fault, message }: DeviceError, language: Language): string {
  const { actuators, components } = textsOf(language);
  return `${components.actuatorFaults[fault]} ${actuators.technical(message)}`;
}

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
