import { errorMessage } from "../../core/error-message.js";
import type { Texts } from "../../texts/index.js";

export type DoctorTexts = Texts["doctor"];

/** Result of one check. */
export interface Finding {
  /** `note`: to be known, nothing is wrong; `warn`: works, but needs attention; `bad`: does not work. */
  verdict: "ok" | "note" | "warn" | "bad";
  /** The examined item, in a few words such as `price source awattar`. */
  what: string;
  /** The result, and what to do about it. */
  sentence: string;
}

/** Creates findings about `what`; the function names are the verdicts. */
export function about(what: string) {
  const as =
    (verdict: Finding["verdict"]) =>
    (sentence: string): Finding => ({ verdict, what, sentence });
  return { ok: as("ok"), note: as("note"), warn: as("warn"), bad: as("bad") };
}

/** The message of an error, as a sentence. */
export function errorSentence(error: unknown): string {
  const text = errorMessage(error);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** The result of `work`, or that of `late` if it takes longer than `limitMs` of wall time. */
export async function within<Result>(
  limitMs: number,
  work: Promise<Result>,
  late: () => Result,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<Result>((resolve) => {
    timer = setTimeout(() => resolve(late()), limitMs);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}
