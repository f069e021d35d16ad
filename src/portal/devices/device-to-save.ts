import { devicesSection, MOST_DEVICES } from "../../config/new-device.js";
import type { DeviceSettings, PlantSettings, SlotSettings } from "../../config/settings.js";
import { SLOT_NUMBERS } from "../../core/domain/slot.js";
import type { Language } from "../../core/language.js";
import { offeredRoles } from "../../equipment/reading/offered-readings.js";
import type { DeviceView } from "../../equipment/reading/view.js";
import type { ActuatorTemplate } from "../../equipment/template.js";
import { deviceLabel } from "../../plan/windows/slot-schedule.js";
import { textsOf } from "../../texts/index.js";
import { usualSlot } from "../ems/fillers.js";
import type { FieldErrors } from "../ui/form.js";
import { NEW_SLOT_KINDS } from "./check-page.js";
import type { ChosenReads, DeviceDraft } from "./drafts.js";

type Plant = Pick<PlantSettings, "devices" | "slots">;

interface SaveOptions {
  template: ActuatorTemplate;
  plant: Plant;
  /** The device that gives each role already, by its name. */
  given: ReadonlyMap<string, string>;
  language: Language;
}

/** The sections of the plant with a device as it was confirmed. */
export function deviceToSave(
  { settings, replaces, absent = [], slot: chosenSlot, chosen, facts }: DeviceDraft,
  { template, plant, given, language }: SaveOptions,
): { plant: Partial<Plant>; device: DeviceSettings } | { errors: FieldErrors } {
  const { add } = textsOf(language).devicePages;
  if (replaces === undefined && plant.devices.length >= MOST_DEVICES) return { errors: { name: add.full } };
  const offers = offersOf(template, settings);
  const [control] = (settings.controls ?? "").split(" ");
  const needsSlot = offers.includes("slot") || control === "slot" || control === "sg_ready";
  const slot = needsSlot
    ? slotOf(chosenSlot ?? usualSlotValue(settings, template), { plant, facts, settings, language })
    : undefined;
  if (needsSlot && slot === undefined) return { errors: { slot: add.slotsFull } };
  const controls =
    control === "slot" || control === "sg_ready" ? `${control} ${slot!.number}` : (settings.controls ?? null);
  const slotGiver = slot && given.get(`slot ${slot.number}`);
  const usual = usualReads(offers, {
    absent,
    given: slotGiver === undefined ? given : new Map([...given, ["slot", slotGiver]]),
  });
  const { reads, isFallback } = chosen ?? usual;
  if (reads.length === 0 && controls === null) return { errors: { reads: add.readsNothing } };
  const roles = reads.map((role): string => (role === "slot" ? `slot ${slot!.number}` : role));
  // All that it offers and that no other one gives, as long as nothing is left out or named.
  const isAll =
    chosen === undefined && absent.length === 0 && (slot === undefined || controls === `slot ${slot.number}`);
  const device: DeviceSettings = {
    ...settings,
    // One that does not say what it is is called by what it drives.
    name: settings.name ?? (offers.length === 0 ? (slot?.label ?? null) : null),
    controls: controls as DeviceSettings["controls"],
    dry_run: controls === null ? null : (settings.dry_run ?? true),
    fallback: isFallback,
    reads: isAll ? null : (roles as DeviceSettings["reads"]),
  };
  // What was chosen of a device is not read of another one any more.
  const taken = isFallback || chosen === undefined ? [] : roles.filter((role) => role !== "pv");
  const others = plant.devices
    .filter(({ id }) => id !== replaces)
    .map((one) =>
      one.reads === null || one.fallback
        ? one
        : { ...one, reads: one.reads.filter((role) => !taken.includes(role)) },
    );
  const at = plant.devices.findIndex(({ id }) => id === replaces);
  const devices = at < 0 ? [...others, device] : others.toSpliced(at, 0, device);
  return {
    device,
    plant: {
      ...devicesSection(devices),
      ...(slot?.made && { slots: [...plant.slots, slot.made as SlotSettings] }),
    },
  };
}

/** The transport of a device. */
export function transportOf({ transports }: ActuatorTemplate, { with: given }: DeviceSettings): string {
  return String(given.transport ?? Object.keys(transports)[0]);
}

/** What can be read of a device. */
export function offersOf(template: ActuatorTemplate, settings: DeviceSettings) {
  return offeredRoles(template, { transport: transportOf(template, settings), given: settings.with });
}

/** What a device is read for where nobody chooses: what no other one gives, otherwise all as a fallback. */
export function usualReads(
  offers: readonly string[],
  { absent, given }: { absent: readonly string[]; given: ReadonlyMap<string, string> },
): ChosenReads {
  const roles = offers.filter((role) => !absent.includes(role));
  const fresh = roles.filter((role) => role === "pv" || !given.has(role));
  const isFallback = roles.length > 0 && fresh.length === 0;
  return { reads: isFallback ? roles : fresh, isFallback };
}

/** The roles that other devices give, each with the name of the device. */
export function rolesTakenBy(views: readonly DeviceView[], except: string | undefined): Map<string, string> {
  const others = views.filter(({ id, isFallback }) => id !== except && !isFallback);
  return new Map(others.flatMap(({ reads, name }) => reads.map((role): [string, string] => [role, name])));
}

const NEW = "new:";

/** The flexible devices of a plant, and the kinds of a new one. */
export function slotChoices({ slots }: Plant, language: Language): { value: string; label: string }[] {
  const { add } = textsOf(language).devicePages;
  const isFull = slots.length >= SLOT_NUMBERS.length;
  return [
    ...slots.map((slot) => ({ value: String(slot.slot), label: deviceLabel(slot, language) })),
    ...(isFull ? [] : NEW_SLOT_KINDS).map((kind) => ({
      value: NEW + kind,
      label: add.newSlot(add.slotKinds[kind]),
    })),
  ];
}

/** What a device probably is, of the values of `slotChoices`. */
export function usualSlotValue({ reads, controls }: DeviceSettings, template: ActuatorTemplate): string {
  const held = /\d$/.exec([controls ?? "", ...(reads ?? [])].find((text) => /\d$/.test(text)) ?? "")?.[0];
  if (held !== undefined) return held;
  const readings = JSON.stringify([template.readings, template.transports]);
  if (template.controls.includes("sg_ready")) return `${NEW}heat_pump`;
  return (
    NEW +
    (readings.includes('"connected"') ? "wallbox" : readings.includes('"temperature_c"') ? "boiler" : "other")
  );
}

function slotOf(
  chosen: string,
  {
    plant,
    facts,
    settings,
    language,
  }: { plant: Plant; facts: DeviceDraft["facts"]; settings: DeviceSettings; language: Language },
): { number: number; label: string; made?: object } | undefined {
  const held = plant.slots.find(({ slot }) => String(slot) === chosen);
  if (held !== undefined) return { number: held.slot, label: deviceLabel(held, language) };
  const kind = NEW_SLOT_KINDS.find((one) => NEW + one === chosen) ?? "other";
  const number = SLOT_NUMBERS.find((one) => plant.slots.every(({ slot }) => slot !== one));
  if (number === undefined) return undefined;
  const kindName = textsOf(language).devicePages.add.slotKinds[kind];
  const label = settings.name ?? kindName.charAt(0).toUpperCase() + kindName.slice(1);
  const powerKw = facts?.max_power_kw;
  return {
    number,
    label,
    made: { slot: number, label, ...usualSlot(kind), ...(powerKw !== undefined && { power_kw: powerKw }) },
  };
}
