import type { Log } from "../core/log.js";
import type { Clock } from "../core/time/clock.js";
import type { DeviceError } from "./command.js";
import type { DeviceCommands } from "./device-commands.js";
import type { Pace } from "./device-pace.js";
import type { BatteryPowers } from "./effect-proof.js";
import type { Variables } from "./expression.js";
import type { ActuatorLedger } from "./ledger.js";
import type { Transport } from "./transport/transport.js";
import type { Wanted } from "./wanted.js";

export interface ActuatorOptions {
  device: DeviceCommands;
  transport: Transport;
  clock: Clock;
  pace: Pace;
  externalMs: number;
  enabled: boolean;
  dryRun: boolean;
  ledger: ActuatorLedger;
  /** Another gateway of this installation has commanded the device until now: its ledger is not known. */
  isTakeOver?: boolean;
  save(ledger: ActuatorLedger): Promise<void>;
  /** What the plan asks for; undefined without a usable plan. */
  wanted(): Wanted | undefined;
  /** What is measured of the battery that the device drives; left out: it drives none, or nothing is measured. */
  measured?(): BatteryPowers | undefined;
  /** Why nothing may be sent to the device now; left out: nothing is known. */
  refusal?(): DeviceError | undefined;
  /** Telemetry for expressions. */
  live(): Variables;
  /** The local day, and the time left of it. */
  day(now: Date): { day: string; leftMs: number };
  onChange(): void;
  random(): number;
  log: Log;
}
