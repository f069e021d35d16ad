import type { ActuatorSettings } from "../../config/settings.js";
import type { Site } from "../../config/site.js";
import type { Language } from "../../core/language.js";
import { parseControls } from "../../equipment/states.js";
import type { ActuatorStatus } from "../../equipment/status.js";
import type { ActuatorTemplate } from "../../equipment/template.js";
import type { SlotPlan } from "../../plan/windows/slot-schedule.js";
import { textsOf } from "../../texts/index.js";

/** One device that takes commands. */
export interface ShownActuator {
  settings: ActuatorSettings;
  status: ActuatorStatus | undefined;
}

/** One device of the page: what hourgate commands, plans or knows of it. */
export interface ShownDevice {
  name: string;
  /** The commands of the device; undefined: it takes none. */
  actuator: ShownActuator | undefined;
  /** The plan of a flexible device. */
  slot: SlotPlan | undefined;
  /** It is the battery of the site. */
  isBattery: boolean;
}

export interface SiteEquipment {
  actuators: readonly ShownActuator[];
  slots: readonly SlotPlan[];
  template(id: string): ActuatorTemplate | undefined;
}

/** The devices of a site, each once: those that are connected, then the battery and the flexible devices without a connection. */
export function shownDevices(
  site: Site,
  { actuators, slots, template }: SiteEquipment,
  language: Language,
): ShownDevice[] {
  const planOf = (slot: number | undefined) => slots.find((one) => one.slot === slot);
  const connected = actuators.map((actuator): ShownDevice => {
    const { controls } = actuator.settings;
    const { control, slot: number } = parseControls(controls) ?? {};
    const name = actuatorName(actuator.settings, { site, template, language });
    return { name, actuator, slot: planOf(number), isBattery: control === "battery" };
  });
  const { battery: batteryName } = textsOf(language).devicePages;
  const hasBattery = site.plant.battery !== null && !connected.some(({ isBattery }) => isBattery);
  const isShown = ({ slot }: SlotPlan) => connected.some((one) => one.slot?.slot === slot);
  return [
    ...connected,
    ...(hasBattery ? [{ name: batteryName, actuator: undefined, slot: undefined, isBattery: true }] : []),
    ...slots
      .filter((slot) => !isShown(slot))
      .map((slot) => ({ name: slot.settings.label, actuator: undefined, slot, isBattery: false })),
  ];
}

/** How a device that takes commands is called: as the owner calls what it controls, otherwise by its template. */
export function actuatorName(
  { id, controls, template: templateId }: ActuatorSettings,
  { site, template, language }: { site: Site; template: SiteEquipment["template"]; language: Language },
): string {
  const slot = parseControls(controls)?.slot;
  const label = site.plant.slots.find((one) => one.slot === slot)?.label ?? "";
  return label === "" ? (template(templateId)?.name[language] ?? id) : label;
}
