import type { InverterCommand } from "../../plan/physics/inverter.js";
import { planPolicyWithPauses } from "../../plan/policy/plan-policy.js";
import type { KnownQuarter, LedgerDay } from "./ledger-day.js";

/**
 * The best commands of a day when its load, PV and prices are known, in the modes that the installation supports: the
 * planner's own recursion with everything certain.
 */
export async function perfectCommands(
  { plant }: LedgerDay,
  known: readonly KnownQuarter[],
  { worthCt, pause }: { worthCt: number; pause(): Promise<void> },
): Promise<(start: Date, socKwh: number) => InverterCommand> {
  const { battery, connection, controls, curtailmentAllowed } = plant;
  const first = known[0];
  if (battery === null || first === undefined) return () => ({ mode: "free" });
  const policy = await planPolicyWithPauses(
    {
      now: first.start,
      steps: known.map(({ start, netKwh, importCtKwh, exportCtKwh }) => ({
        start,
        minutes: 15,
        importCtKwh,
        exportCtKwh,
        loadKwh: Math.max(0, netKwh),
        pvKwh: Math.max(0, -netKwh),
        published: true,
      })),
      ratios: [],
      battery,
      controls,
      grid: { ...connection, curtailmentAllowed },
      terminal: [{ kwh: battery.maxSocKwh, ctKwh: worthCt }],
    },
    pause,
  );
  return (start, socKwh) => policy.act({ now: start, socKwh: Math.max(0, socKwh) });
}
