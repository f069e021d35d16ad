import type { Site } from "../../config/site.js";
import { deviceLabel, type SlotPlan } from "../../plan/windows/slot-schedule.js";
import { wrongArgument } from "./tool.js";

/** The battery among the devices. */
export const BATTERY_DEVICE = "battery";

/** Names for the only device of its kind. */
const KINDS: Readonly<Record<string, string>> = { car: "wallbox", "heat pump": "heat_pump" };

/** The slot of the device with this name, or `battery`. Throws ApiError with the names that there are. */
export function foundDevice(
  { site, slots }: { site: Site; slots: readonly SlotPlan[] },
  asked: string,
): number | typeof BATTERY_DEVICE {
  const wanted = asked.trim().toLowerCase();
  const named = slots.filter(({ settings }) => deviceLabel(settings, "en").toLowerCase() === wanted);
  const kind = KINDS[wanted] ?? wanted;
  const ofKind = slots.filter(({ settings }) => settings.kind === kind);
  const found = [named, ofKind].find(({ length }) => length === 1)?.[0];
  if (found !== undefined) return found.slot;
  if (wanted === BATTERY_DEVICE && site.plant.battery !== null) return BATTERY_DEVICE;
  const names = [
    ...(site.plant.battery === null ? [] : [BATTERY_DEVICE]),
    ...slots.map(({ settings }) => deviceLabel(settings, "en")),
  ];
  throw wrongArgument(
    "device",
    names.length === 0
      ? "This home has no device that can be planned."
      : `There is no device of that name: device must be one of ${names.join(", ")}.`,
  );
}
