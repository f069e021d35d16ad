/** Numbers of the device slots of a site. */
export const SLOT_NUMBERS = [1, 2, 3, 4, 5, 6, 7, 8] as const;

export type SlotNumber = (typeof SLOT_NUMBERS)[number];

/** The slot of a number or its text; undefined for any other value. */
export function slotNumber(value: unknown): SlotNumber | undefined {
  return SLOT_NUMBERS.find((slot) => slot === value || String(slot) === value);
}
