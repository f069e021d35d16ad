import { type RankedWindows, rankWindows } from "../../../src/plan/windows/rank-windows.js";
import type { PriceSlot, WindowsRequest } from "../../../src/plan/windows/windows-request.js";

/** Midnight in Vienna, on a winter day. */
export const MIDNIGHT = new Date("2026-01-14T23:00:00Z");

/** Slots of `minutes` from `start` on; null is a slot without a price, which is left out. */
export function slotsOf(
  prices: readonly (number | null)[],
  { minutes = 60, start = MIDNIGHT }: { minutes?: number; start?: Date } = {},
): PriceSlot[] {
  return prices.flatMap((ctKwh, index) => {
    const startMs = start.getTime() + index * minutes * 60_000;
    return ctKwh === null
      ? []
      : [{ start: new Date(startMs), end: new Date(startMs + minutes * 60_000), ctKwh }];
  });
}

/** Hourly slots from a drawing such as `3 1 2 _ 9`; `_` is a gap in the prices. */
export function drawn(prices: string): PriceSlot[] {
  return slotsOf(prices.split(" ").map((price) => (price === "_" ? null : Number(price))));
}

/** The chosen slots as a drawing over hourly slots: `#` chosen, `.` not, `_` gap. */
export function draw(slots: readonly PriceSlot[], chosen: RankedWindows["slots"]): string {
  const first = slots[0]!.start.getTime();
  const last = slots.at(-1)!.end.getTime();
  const known = new Set(slots.map((slot) => slot.start.getTime()));
  const starts = new Set(chosen.map((slot) => slot.start.getTime()));
  let drawing = "";
  for (let at = first; at < last; at += 3_600_000)
    drawing += starts.has(at) ? "#" : known.has(at) ? "." : "_";
  return drawing;
}

/** Indices, into the candidates, of the slots that `rankWindows` chooses. */
export function chosenBy(request: WindowsRequest): number[] {
  const index = new Map(request.slots.map((slot, position) => [slot.start.getTime(), position]));
  return rankWindows(request).slots.map((slot) => index.get(slot.start.getTime())!);
}
