import type { Site } from "../../config/site.js";
import type { Language } from "../../core/language.js";
import type { DeviceView } from "../../equipment/reading/view.js";
import type { ActuatorStatus } from "../../equipment/status.js";
import { deviceLabel, type SlotPlan } from "../../plan/windows/slot-schedule.js";
import { textsOf } from "../../texts/index.js";

/** One device of the page: what hourgate commands, plans or knows of it. */
export interface ShownDevice {
  name: string;
  /** Of its commands; undefined: it takes none, or is being connected. */
  status: ActuatorStatus | undefined;
  /** The plan of a flexible device. */
  slot: SlotPlan | undefined;
  /** What is read of it; undefined: no device of the settings. */
  view: DeviceView | undefined;
  /** It is the battery of the site. */
  isBattery: boolean;
}

interface SiteEquipment {
  actuators: readonly ActuatorStatus[];
  views: readonly DeviceView[];
  slots: readonly SlotPlan[];
}

/** The devices of a site, each once: those that are connected, then the battery and the flexible devices without a connection. */
export function shownDevices(
  site: Site,
  { actuators, views, slots }: SiteEquipment,
  language: Language,
): ShownDevice[] {
  const planOf = (slot: number | undefined) => slots.find((one) => one.slot === slot);
  const hasOwn = (view: DeviceView) => view.controls === "battery" || view.reads.includes("battery");
  const battery = views.find(hasOwn);
  const connected = views.map((view): ShownDevice => {
    const number = [view.controls ?? "", ...view.reads].map(slotNumberIn).find((one) => one !== undefined);
    const status = actuators.find(({ id }) => id === view.id);
    return { name: view.name, status, view, slot: planOf(number), isBattery: view === battery };
  });
  const none = { status: undefined, view: undefined };
  const hasBattery = site.plant.battery !== null && !connected.some(({ isBattery }) => isBattery);
  const isShown = ({ slot }: SlotPlan) => connected.some((one) => one.slot?.slot === slot);
  const { battery: batteryName } = textsOf(language).devicePages;
  return [
    ...connected,
    ...(hasBattery ? [{ ...none, name: batteryName, slot: undefined, isBattery: true }] : []),
    ...slots
      .filter((slot) => !isShown(slot))
      .map((slot) => ({ ...none, name: deviceLabel(slot.settings, language), slot, isBattery: false })),
  ];
}

function slotNumberIn(role: string): number | undefined {
  const number = /^(?:slot|sg_ready) (\d)$/.exec(role)?.[1];
  return number === undefined ? undefined : Number(number);
}
