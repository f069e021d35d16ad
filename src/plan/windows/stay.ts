import { MINUTE_MS } from "../../core/domain/interval.js";

/** A plug that is out for no longer than this was not used: chargers report it while they switch. */
const FLICKER_MS = 5 * MINUTE_MS;

/** The plug of a wallbox, and the stay of the vehicle at it. */
export interface Plug {
  plugged: 0 | 1;
  /** When it took this value. */
  at: Date;
  /** Start of the present or last stay; left out: before the first value. */
  since?: Date;
  /** When the vehicle before it left. */
  leftAt?: Date;
  /** Away for longer than a flicker. */
  hasLeft: boolean;
}

/** From the plug to the departure. */
export interface Stay {
  /** Left out: it began before the gateway knew of the plug. */
  since?: Date | undefined;
  /** When the stay before it ended: what was read until then belongs to that. */
  leftAt?: Date | undefined;
}

/** The plug after a value of the device. `arrived`: a stay begins. Pure. */
export function nextPlug(
  before: Plug | undefined,
  plugged: 0 | 1,
  now: Date,
): { plug: Plug; arrived: boolean } {
  // Before the first value it counted as plugged in, but of no known stay.
  if (before === undefined) return { plug: { plugged, at: now, hasLeft: plugged === 0 }, arrived: false };
  if (before.plugged === plugged) return { plug: before, arrived: false };
  const { plug } = afterTime(before, now);
  if (plugged === 0 || !plug.hasLeft)
    return { plug: { ...plug, plugged, at: now, hasLeft: false }, arrived: false };
  const leftAt = plug.since === undefined ? {} : { leftAt: plug.at };
  return { plug: { plugged, at: now, since: now, ...leftAt, hasLeft: false }, arrived: true };
}

/** The plug after time has passed. `left`: a stay has ended. Pure. */
export function afterTime(plug: Plug, now: Date): { plug: Plug; left: boolean } {
  const isGone = plug.plugged === 0 && now.getTime() - plug.at.getTime() > FLICKER_MS;
  if (!isGone || plug.hasLeft) return { plug, left: false };
  return { plug: { ...plug, hasLeft: true }, left: true };
}

/** The stay of the vehicle that is plugged in, or was last. */
export function stayOf(plug: Plug | undefined): Stay | undefined {
  return plug && { since: plug.since, leftAt: plug.leftAt };
}
