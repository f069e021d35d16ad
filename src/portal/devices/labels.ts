import type { Site } from "../../config/site.js";
import type { Language } from "../../core/language.js";
import type { DeviceError } from "../../equipment/command.js";
import { parseControls } from "../../equipment/states.js";
import { deviceLabel } from "../../plan/windows/slot-schedule.js";
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
