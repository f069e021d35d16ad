import { isRecord } from "../../core/net/json.js";

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

/** Reads stored periods; empty for anything else. Without an id of their own they get one by their place. */
export function presenceFromJson(stored: unknown): (PresencePeriod & { id: string })[] {
  if (!Array.isArray(stored)) return [];
  return stored.flatMap((one: unknown, index) => {
    if (!isRecord(one)) return [];
    const { kind, fromMs, untilMs, id = `p${index + 1}` } = one;
    const known = PRESENCE_KINDS.find((name) => name === kind);
    const hasEnd = untilMs === null || (typeof untilMs === "number" && Number.isFinite(untilMs));
    if (known === undefined || typeof fromMs !== "number" || !Number.isFinite(fromMs) || !hasEnd) return [];
    return typeof id === "string" ? [{ id, kind: known, fromMs, untilMs }] : [];
  });
}
