/**
 * flex_pack: a whole flex request in one number of 23 bits, for controllers that can send a single value.
 *
 * | bits     | content                                                  |
 * |----------|----------------------------------------------------------|
 * | 0 to 4   | start hour, 0 to 23                                      |
 * | 5 to 9   | end hour, 0 to 23                                        |
 * | 10 to 15 | segment: hours to charge, 0 to 63; 0 = no segment given  |
 * | 16 to 21 | hours already done, 0 to 63                              |
 * | 22       | plugged                                                  |
 */

const END_SHIFT = 5;
const SEGMENT_SHIFT = 10;
const DONE_SHIFT = 16;
const PLUGGED_SHIFT = 22;
const LAST_HOUR = 23;
const LAST_SIX_BIT = 63;
const LAST_VALUE = 2 ** 23 - 1;

/** A flex_pack or its parts are invalid; `field` names the part. */
export class FlexPackError extends RangeError {
  readonly code = "invalid_flex_pack";
  override readonly name = "FlexPackError";

  constructor(
    readonly field: string,
    message: string,
  ) {
    super(message);
  }
}

/** The content of a flex_pack; hours are integers. */
export interface FlexPack {
  /** Local clock hour at which the window starts, 0 to 23. */
  startHour: number;
  /** Local clock hour at which the window ends, 0 to 23; at or before the start it is on the next day. */
  endHour: number;
  /** Hours to place, 0 to 63; 0 = no segment given. */
  segment: number;
  /** Hours already done, 0 to 63. */
  hoursDone: number;
  plugged: 0 | 1;
}

/** Input of `packFlex`; missing values are 0. */
export interface FlexPackInput {
  startHour: number;
  endHour: number;
  segment?: number | undefined;
  hoursDone?: number | undefined;
  plugged?: boolean | 0 | 1 | undefined;
}

function integer(field: string, value: number, last: number): number {
  if (!Number.isInteger(value) || value < 0 || value > last)
    throw new FlexPackError(field, `${field} must be an integer from 0 to ${last}, but is ${String(value)}.`);
  return value;
}

/**
 * Packs a flex request into one number. Throws FlexPackError for a value that does not fit its bits. A request of zeros
 * packs to 0, which receivers treat as missing.
 *
 * @example packFlex({ startHour: 22, endHour: 6, segment: 3, plugged: 1 }) // 4197590
 */
export function packFlex(flex: FlexPackInput): number {
  if (typeof flex !== "object" || flex === null)
    throw new FlexPackError("flex", "The flex request must be an object with startHour and endHour.");
  const plugged = typeof flex.plugged === "boolean" ? Number(flex.plugged) : (flex.plugged ?? 0);
  return (
    integer("startHour", flex.startHour, LAST_HOUR) |
    (integer("endHour", flex.endHour, LAST_HOUR) << END_SHIFT) |
    (integer("segment", flex.segment ?? 0, LAST_SIX_BIT) << SEGMENT_SHIFT) |
    (integer("hoursDone", flex.hoursDone ?? 0, LAST_SIX_BIT) << DONE_SHIFT) |
    (integer("plugged", plugged, 1) << PLUGGED_SHIFT)
  );
}

/**
 * Reads a flex_pack; `null` for 0, which means that none was given. Throws FlexPackError for anything but an integer of
 * 23 bits (`4197590.0` is one, `4197590.5` is not) and for a start or end hour above 23; 8388343 is the largest valid.
 *
 * @example unpackFlex(4197590) // { startHour: 22, endHour: 6, segment: 3, hoursDone: 0, plugged: 1 }
 */
export function unpackFlex(value: number): FlexPack | null {
  if (!Number.isInteger(value) || value < 0 || value > LAST_VALUE)
    throw new FlexPackError(
      "flex_pack",
      `flex_pack must be an integer of at most 23 bits (0 to 8388343), but is ${String(value)}.`,
    );
  if (value === 0) return null;
  const startHour = value & 31;
  const endHour = (value >> END_SHIFT) & 31;
  for (const [name, hour] of [
    ["start", startHour],
    ["end", endHour],
  ] as const) {
    if (hour > LAST_HOUR)
      throw new FlexPackError(
        "flex_pack",
        `flex_pack ${value} has the ${name} hour ${hour}; send hours from 0 to 23.`,
      );
  }
  return {
    startHour,
    endHour,
    segment: (value >> SEGMENT_SHIFT) & LAST_SIX_BIT,
    hoursDone: (value >> DONE_SHIFT) & LAST_SIX_BIT,
    plugged: (value >> PLUGGED_SHIFT) & 1 ? 1 : 0,
  };
}
