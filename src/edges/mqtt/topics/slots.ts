import { SLOT_NUMBERS } from "../../../core/domain/slot.js";
import { scalarText } from "./number-text.js";
import type { Topics } from "./topics.js";

interface SlotDocument extends Readonly<Record<string, unknown>> {
  readonly vehicle?: { readonly soc_pct: number | null };
  readonly sg_ready?: { readonly state: string; readonly number: number };
}

/** Topic below the slot, and its value in the slot's document. */
const SCALARS: readonly (readonly [string, (document: SlotDocument) => unknown])[] = [
  ["charge_now", ({ charge_now }) => charge_now],
  ["power_kw", ({ set_power_kw }) => set_power_kw],
  ["next_start", ({ next_start }) => next_start],
  ["override", ({ override }) => override],
  ["soc_pct", ({ vehicle }) => vehicle?.soc_pct],
  ["sg_ready", ({ sg_ready }) => sg_ready?.state],
  ["sg_ready_number", ({ sg_ready }) => sg_ready?.number],
];

export interface SlotMirrorOptions {
  topics: Topics;
  /** The entries of device-schedules, one per assigned slot; `slot_id` is its number. */
  slotDocuments(plant: string): readonly SlotDocument[];
  /** Takes a retained value; only changes are sent on. */
  setValue(topic: string, payload: string): void;
}

/**
 * Publishes the schedules of a plant's slots on `…/slots/<n>/charge_now`, `power_kw`, `next_start`, `override`, `soc_pct`,
 * `sg_ready`, `sg_ready_number` and `plan`. Topics of slots that are not assigned are removed.
 */
export function createSlotMirror({ topics, slotDocuments, setValue }: SlotMirrorOptions) {
  return (plant: string): void => {
    const documents = new Map(slotDocuments(plant).map((document) => [String(document.slot_id), document]));
    for (const slot of SLOT_NUMBERS) {
      const document = documents.get(String(slot));
      // Scalars before the document, as for the plan.
      for (const [topic, read] of SCALARS)
        setValue(topics.of(plant, `slots/${slot}/${topic}`), scalarText(document && read(document)));
      setValue(
        topics.of(plant, `slots/${slot}/plan`),
        document === undefined ? "" : JSON.stringify(document),
      );
    }
  };
}
