/** What an actuator drives. */
export const CONTROLS = ["battery", "slot", "feed_in", "sg_ready"] as const;
export type Control = (typeof CONTROLS)[number];

/** The states of each kind of actuator; the first one leaves the device to its own control. */
export const STATES = {
  battery: ["free", "charge", "hold", "cap", "block", "discharge"],
  slot: ["off", "on"],
  feed_in: ["unlimited", "limit"],
  sg_ready: ["normal", "encourage", "force", "block"],
} as const satisfies Record<Control, readonly string[]>;

/** What a template says about the effect of a battery's state. */
export const EFFECT_KEYS = ["serves_load", "stores_pv", "sets_power"] as const;

export type ActuatorState = (typeof STATES)[Control][number];

/** Every state once. */
export const ALL_STATES: readonly ActuatorState[] = [...new Set(Object.values(STATES).flat())];

/** The state that leaves the device to its own control. */
export function neutralState(control: Control): ActuatorState {
  return STATES[control][0];
}

/** The kind of `battery`, `feed_in`, `sg_ready` or `slot 3`, with the slot's number; undefined for another text. */
export function parseControls(text: string): { control: Control; slot: number | undefined } | undefined {
  const slot = /^slot ([1-8])$/.exec(text)?.[1];
  if (slot !== undefined) return { control: "slot", slot: Number(slot) };
  const sgReady = /^sg_ready(?: ([1-8]))?$/.exec(text);
  if (sgReady !== null)
    return { control: "sg_ready", slot: sgReady[1] === undefined ? undefined : Number(sgReady[1]) };
  return text === "battery" || text === "feed_in" ? { control: text, slot: undefined } : undefined;
}
