import type { ShownDeviceState } from "../../core/domain/device-state.js";

export const germanDeviceStates: Readonly<Record<ShownDeviceState, string>> = {
  waiting: "Wurde noch nicht gelesen.",
  ok: "Wird gelesen.",
  degraded: "Liefert keine oder nicht alle Werte.",
  unreachable: "Antwortet nicht.",
  sleeping: "Ist aus, bis die Sonne aufgeht.",
  external: "Wurde von jemand anderem verstellt und wird in Ruhe gelassen.",
  misconfigured: "Kann so, wie es eingerichtet ist, nicht verwendet werden.",
  conflict: "Dasselbe Gerät wird bereits angesteuert.",
  disabled: "Ist ausgeschaltet.",
};
