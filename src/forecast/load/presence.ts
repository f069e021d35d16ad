import { hasFields, isMaybe, isNullOr, isNumber, isOneOf, isText } from "../../core/shape.js";

/** `away`: nobody is at home; `guests`: more people than usual. */
export const PRESENCE_KINDS = ["away", "guests"] as const;
export type PresenceKind = (typeof PRESENCE_KINDS)[number];

/** A time in which a home uses less or more than usual. Plain data. */
export interface PresencePeriod {
  kind: PresenceKind;
  fromMs: number;
  /** null: until it is taken back. */
  untilMs: number | null;
}

/** The period that an instant is in; the later one wins. */
export function presenceAt<Period extends PresencePeriod>(
  periods: readonly Period[],
  ms: number,
): Period | undefined {
  return periods.findLast(({ fromMs, untilMs }) => fromMs <= ms && (untilMs === null || ms < untilMs));
}

const isPeriod = hasFields<PresencePeriod & { id?: string | undefined }>({
  kind: isOneOf(PRESENCE_KINDS),
  fromMs: isNumber,
  untilMs: isNullOr(isNumber),
  id: isMaybe(isText),
});

/** Reads stored periods; empty for anything else. Without an id of their own they get one by their place. */
export function presenceFromJson(stored: unknown): (PresencePeriod & { id: string })[] {
  if (!Array.isArray(stored)) return [];
  return stored.flatMap((one: unknown, index) => {
    if (!isPeriod(one)) return [];
    const { kind, fromMs, untilMs, id = `p${index + 1}` } = one;
    return [{ id, kind, fromMs, untilMs }];
  });
}
