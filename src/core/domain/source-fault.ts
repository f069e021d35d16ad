/** Why a source failed: no answer, an unusable answer, or another error that only the log explains. */
export type SourceFault =
  | { kind: "status"; host: string; status: number }
  | { kind: "timeout"; host: string; seconds: number }
  | { kind: "unreachable"; host: string; reason: string }
  | { kind: "other" };
