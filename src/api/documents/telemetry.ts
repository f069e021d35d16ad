import { rounded } from "../../core/domain/rounding.js";
import type { LiveState, Reading } from "../../core/domain/sample.js";
import { formatIso } from "../../core/time/zone.js";

/** Result of a telemetry call. Counts are samples; duplicates are also counted as accepted. */
export interface TelemetryView {
  accepted: number;
  duplicates: number;
  softcapExceeded: boolean;
  rejected: readonly { index: number; field: string; message: string }[];
  latest: LiveState;
  /** Readings that the last ones rule out, and that are not used until they are confirmed. */
  held?: readonly { reading: Reading; value: number }[] | undefined;
  zone: string;
  access: Record<string, unknown>;
}

/** The answer to telemetry (docs/spec/http-api.md section 9): `latest` has the values, `latest_at` their times. */
export function telemetryDocument(view: TelemetryView): Record<string, unknown> {
  const readings = Object.entries(view.latest).flatMap(([name, reading]) =>
    reading === undefined ? [] : [[name, reading] as const],
  );
  return {
    accepted: view.accepted,
    duplicates: view.duplicates,
    softcap_exceeded: view.softcapExceeded,
    access: view.access,
    rejected: view.rejected.map(({ index, field, message }) => ({ index, field, message })),
    latest: Object.fromEntries(readings.map(([name, { value }]) => [name, rounded(value, 6)])),
    latest_at: Object.fromEntries(readings.map(([name, { at }]) => [name, formatIso(at, view.zone)])),
    ...(view.held !== undefined && {
      implausible: Object.fromEntries(view.held.map(({ reading, value }) => [reading, rounded(value, 6)])),
    }),
  };
}
