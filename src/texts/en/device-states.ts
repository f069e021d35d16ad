import type { ShownDeviceState } from "../../core/domain/device-state.js";

export const englishDeviceStates: Readonly<Record<ShownDeviceState, string>> = {
  waiting: "Has not been read yet.",
  ok: "Is read.",
  degraded: "Gives no values, or not all of them.",
  unreachable: "Does not answer.",
  sleeping: "Is off until the sun rises.",
  external: "Was changed by somebody else and is left alone.",
  misconfigured: "Cannot be used as it is set up.",
  conflict: "Another device drives the same one.",
  disabled: "Is switched off.",
};
