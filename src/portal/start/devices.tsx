import type { SlotSettings } from "../../config/settings.js";
import { SLOT_NUMBERS } from "../../core/domain/slot.js";
import type { Language } from "../../core/language.js";
import { textsOf } from "../../texts/index.js";
import { CheckboxField, NumberField } from "../ui/form.js";
import { numberIn, type SettingsStep, type StepProps, textOfNumber } from "./step.js";

type Fields = Readonly<Record<string, unknown>>;

/** A kind of device: its few fields with usual values, and the slot that they make. */
interface DeviceKind {
  fields: Readonly<Record<string, number>>;
  slot(fields: Fields): object;
  /** The field of a key of the slot. */
  keys?: Readonly<Record<string, string>>;
}

/** A window of the whole day begins and ends at the same hour. */
const ALL_DAY = { window_start_hour: 0, window_end_hour: 0 };

const KINDS = {
  wallbox: {
    fields: { power_kw: 11, energy_kwh: 15, ready_hour: 7 },
    slot: ({ power_kw, energy_kwh, ready_hour }) => ({
      kind: "wallbox",
      power_kw,
      energy_kwh,
      window_start_hour: 18,
      window_end_hour: ready_hour,
    }),
    keys: { window_end_hour: "ready_hour" },
  },
  heat_pump: {
    fields: { power_kw: 2.5 },
    slot: ({ power_kw }) => ({ kind: "heat_pump", power_kw, sg_ready: {} }),
  },
  boiler: {
    fields: { power_kw: 2, energy_kwh: 5 },
    slot: (fields) => ({ kind: "boiler", ...fields, ...ALL_DAY }),
  },
  pool_pump: {
    fields: { power_kw: 0.75, hours: 6 },
    slot: (fields) => ({ kind: "other", ...fields, window_start_hour: 8, window_end_hour: 20 }),
  },
  washing_machine: { fields: { power_kw: 0.5, hours: 2 }, slot: oneRun(8, 20) },
  dishwasher: { fields: { power_kw: 0.6, hours: 2 }, slot: oneRun(20, 6) },
} as const satisfies Record<string, DeviceKind>;

/** Kinds of devices that the wizard asks for. */
type KindId = keyof typeof KINDS;
const KIND_IDS = Object.keys(KINDS) as KindId[];

/** A programme that must not be interrupted. */
function oneRun(window_start_hour: number, window_end_hour: number) {
  return ({ power_kw, hours }: Fields) => ({
    kind: "other",
    power_kw,
    segments: [hours],
    segment_consecutive: "required",
    window_start_hour,
    window_end_hour,
  });
}

/** A slot of a kind with usual values, without number and name. */
export function usualSlot(kind: "wallbox" | "boiler" | "heat_pump" | "other"): object {
  const { fields, slot } = KINDS[kind === "other" ? "pool_pump" : kind];
  return slot(fields);
}

const labelOf = (kind: KindId, language: Language) => textsOf(language).start.devices.kinds[kind];

/** The slot that the wizard has made for a kind, by its label in either language. */
function slotOf(slots: readonly SlotSettings[], kind: KindId): SlotSettings | undefined {
  const labels = (["de", "en"] as const).map((language) => labelOf(kind, language));
  return slots.find(({ label }) => labels.includes(label));
}

/** Flexible devices: each ticked one becomes a slot. */
export const devicesStep: SettingsStep = {
  held: ({ slots }, language) =>
    Object.fromEntries(
      KIND_IDS.flatMap((id): [string, string][] => {
        const slot = slotOf(slots, id);
        const held: Record<string, unknown> = { ...slot, ready_hour: slot?.window_end_hour };
        return [
          [id, String(slot !== undefined)],
          ...Object.entries(KINDS[id].fields).map(([key, usual]): [string, string] => {
            const value = key === "hours" ? (slot?.segments?.[0] ?? held[key]) : held[key];
            return [`${id}.${key}`, textOfNumber(typeof value === "number" ? value : usual, language)];
          }),
        ];
      }),
    ),

  read(typed, { plant }) {
    const texts = textsOf(typed.language).start.devices;
    const own = KIND_IDS.map((id) => slotOf(plant.slots, id));
    const others = plant.slots.filter((slot) => !own.includes(slot));
    const ticked = KIND_IDS.filter((id) => typed.isTicked(id));
    for (const id of ticked)
      if (typed.text(`${id}.power_kw`) === "") return { errors: { [`${id}.power_kw`]: texts.powerMissing } };
    const taken = new Set(plant.slots.map(({ slot }) => slot));
    const free = SLOT_NUMBERS.filter((number) => !taken.has(number));
    const made: { id: KindId; slot: object }[] = [];
    for (const id of ticked) {
      const before = slotOf(plant.slots, id);
      const number = before?.slot ?? free.shift();
      if (number === undefined) return { errors: { [id]: texts.full } };
      const kind: DeviceKind = KINDS[id];
      const fields = Object.fromEntries(
        Object.keys(kind.fields).map((key) => [key, numberIn(typed, `${id}.${key}`) ?? kind.fields[key]]),
      );
      // What was set of it in "My home", such as a vehicle, is kept.
      const slot = { ...before, label: labelOf(id, typed.language), slot: number, ...kind.slot(fields) };
      made.push({ id, slot });
    }
    return {
      plant: { slots: [...others, ...made.map(({ slot }) => slot)] },
      nameOf: ([, index = "", key = ""]) => {
        const id = made[Number(index) - others.length]?.id;
        if (id === undefined) return KIND_IDS[0]!;
        const { keys = {} }: DeviceKind = KINDS[id];
        return `${id}.${keys[key] ?? (key === "segments" ? "hours" : key)}`;
      },
    };
  },

  Fields(props) {
    return (
      <>
        {KIND_IDS.map((id) => (
          <DeviceFields key={id} id={id} {...props} />
        ))}
      </>
    );
  },
};

const UNITS: Readonly<Record<string, string>> = { power_kw: "kW", energy_kwh: "kWh" };

function DeviceFields({ id, context, value, errors, field }: StepProps & { id: KindId }) {
  const texts = textsOf(context.language).start.devices;
  return (
    <fieldset class="device">
      <legend class="visually-hidden">{texts.kinds[id]}</legend>
      <CheckboxField
        name={id}
        label={texts.kinds[id]}
        checked={value(id) === "true"}
        error={errors[id]}
        hint={texts.hints[id]}
      />
      <div class="fields">
        {Object.keys(KINDS[id].fields).map((key) => (
          <NumberField
            key={key}
            {...field(`${id}.${key}`)}
            label={texts.fields[key as keyof typeof texts.fields]}
            unit={UNITS[key]}
          />
        ))}
      </div>
    </fieldset>
  );
}
