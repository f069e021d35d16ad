/** Why a source failed: the answer or its absence, or anything else that only the log can explain. */
export type SourceFault =
  | { kind: "status"; host: string; status: number }
  | { kind: "timeout"; host: string; seconds: number }
  | { kind: "unreachable"; host: string; reason: string }
  | { kind: "other" };
