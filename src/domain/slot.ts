/** Numbers of the device slots of a site. */
export const SLOT_NUMBERS = [1, 2, 3, 4, 5, 6, 7, 8] as const;

export type SlotNumber = (typeof SLOT_NUMBERS)[number];
