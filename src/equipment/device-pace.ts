import { renderNumber } from "./expression.js";
import type { Control } from "./states.js";
import type { ActuatorTemplate, TemplateTransport } from "./template.js";

/** How often a device is commanded; times in ms. */
export interface Pace {
  leaseMs: number;
  repeatMs: number;
  settleMs: number;
  deadlineMs: number;
  appliedMs: number;
  pollMs: number;
  minDwellMs: number;
  maxWritesPerDay: number;
  deadbandKw: number;
}

const DWELL_S = { battery: 300, slot: 120, feed_in: 120, sg_ready: 900 } as const satisfies Record<
  Control,
  number
>;
const WRITES_PER_DAY = { battery: 40, slot: 20, feed_in: 40, sg_ready: 20 } as const satisfies Record<
  Control,
  number
>;

/** The pace of a transport; what it does not state is that of its template. Throws ExpressionError. */
export function paceOf(
  template: ActuatorTemplate,
  transport: TemplateTransport,
  { control, parameters }: { control: Control; parameters: Readonly<Record<string, unknown>> },
): Pace {
  const number = (key: keyof TemplateTransport & keyof ActuatorTemplate, preset: number) => {
    const value = transport[key] ?? template[key];
    return value === undefined ? preset : renderNumber(value as number | string, parameters);
  };
  const lease = number("lease_s", 0);
  // Twice within the lease, so that one lost repetition does not end it.
  const repeat = number("repeat_s", lease * 0.4);
  return {
    leaseMs: lease * 1000,
    repeatMs: Math.min(repeat, lease * 0.49) * 1000,
    settleMs: number("settle_s", 0) * 1000,
    deadlineMs: number("deadline_s", 10) * 1000,
    appliedMs: number("applied_s", 60) * 1000,
    pollMs: number("poll_s", 60) * 1000,
    minDwellMs: number("min_dwell_s", DWELL_S[control]) * 1000,
    maxWritesPerDay: number("max_writes_per_day", WRITES_PER_DAY[control]),
    deadbandKw: number("deadband_kw", 0.1),
  };
}
