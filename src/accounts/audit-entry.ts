/** One event: who did what, from where. Never contains a secret. */
export interface AuditEntry {
  /** ISO 8601, UTC, wall time. */
  time: string;
  /** Stable name, such as `sign_in.failed` or `key.replaced`. */
  event: string;
  /** E-mail of the account, or of the attempted sign-in. */
  account?: string;
  /** Address of the client; `command line` for commands. */
  from?: string;
  site?: string;
  /** How often it happened in the minute from `time` on; absent: once. */
  count?: number;
}
