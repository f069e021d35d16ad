import type { Log } from "../../core/log.js";
import type { DocumentArchive } from "../../store/archive.js";
import type { FlexKnowledge } from "./answer.js";
import type { Delivered } from "./delivered.js";
import type { DeviceState } from "./estimates.js";
import type { StartBudget } from "./switching.js";

/** What the slots of a site ask of the rest of the gateway. */
export interface SiteSlotsOptions {
  /** Current prices; undefined before the first forecast. */
  knowledge: () => FlexKnowledge | undefined;
  /** Called when a schedule has changed, or only the power of a slot that follows the surplus. */
  onChange: (change?: { powerOnly: boolean }) => void;
  /** Called when the plug of a wallbox was set to another value. */
  onPlug?: ((slot: number, plugged: 0 | 1, at: Date) => void) | undefined;
  /** Readings of a slot's device that are not too old; left out: none. */
  deviceState?: ((slot: number) => DeviceState | undefined) | undefined;
  /** What a slot's device did; left out: what was planned counts. */
  delivered?: ((slot: number, from: Date, to: Date) => Delivered | undefined) | undefined;
  /** The starts that a slot's actuator has commands for; undefined: none switches it. */
  startBudget?: ((slot: number) => StartBudget | undefined) | undefined;
  /** The power that a slot's device takes when it is asked for one, kW; left out: that one. */
  takenKw?: ((slot: number, askedKw: number) => number) | undefined;
  documents: DocumentArchive;
  log: Log;
}
