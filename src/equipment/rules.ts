import type { DeviceCommands } from "./device-commands.js";
import type { Pace } from "./device-pace.js";
import { unlessExpressionFails, type Variables } from "./expression.js";
import type { DeviceCommand, DeviceRules } from "./machine/device-state.js";
import { wantedState } from "./wanted.js";

/** A value of somebody else must stay for this time at least. */
const SETTLE_MS = 5_000;

/** The rules of the machine for a device. */
export function deviceRules(
  device: DeviceCommands,
  {
    pace,
    externalMs,
    live,
    hasLeft,
  }: { pace: Pace; externalMs: number; live(): Variables; hasLeft(): boolean },
): DeviceRules {
  const { neutral } = device;
  const exitState = device.exit(live())?.state;
  return {
    neutral,
    isNeutralSent: device.hasExitOfItsOwn,
    exitState,
    hasReading: device.hasReading,
    hasLock: device.lock() !== undefined,
    leaseMs: pace.leaseMs,
    repeatMs: pace.repeatMs,
    answerMs: pace.settleMs,
    deadlineMs: pace.deadlineMs,
    appliedMs: pace.appliedMs,
    settleMs: Math.max(pace.settleMs, SETTLE_MS),
    pollMs: pace.pollMs,
    minDwellMs: pace.minDwellMs,
    dwellsAtEnd: neutral === "normal",
    maxWritesPerDay: pace.maxWritesPerDay,
    isBudgetPlanned: neutral === "off",
    externalMs,
    hasLeft: () => exitState !== undefined && hasLeft(),
    isLeased: (state) => device.isLeased(state),
    isChecked: (command) =>
      unlessExpressionFails(() => device.checks(command.state, command, live()).length > 0, true),
    isSame: (one, other) => isSame(device, one, other, { deadbandKw: pace.deadbandKw, live: live() }),
  };
}

/** Whether two commands are the same for the device, or nearly so. */
function isSame(
  device: DeviceCommands,
  one: DeviceCommand,
  other: DeviceCommand,
  { deadbandKw, live }: { deadbandKw: number; live: Variables },
): boolean {
  if (one.state !== other.state) return false;
  if (one.state === "exit") return true;
  const isNear =
    Math.abs(one.powerKw - other.powerKw) < Math.max(deadbandKw, 1e-9) &&
    Math.abs(one.socStopPct - other.socStopPct) < 1;
  if (isNear) return true;
  const state = one.state as typeof device.neutral;
  const text = ({ powerKw, socStopPct }: DeviceCommand) =>
    JSON.stringify(device.requests(wantedState(state, { powerKw, socStopPct }), live));
  return unlessExpressionFails(() => text(one) === text(other), false);
}
