import { expect, it } from "vitest";
import type { ActuatorPhase } from "../../../src/core/domain/actuator.js";
import { deviceView, type HeldDevice } from "../../../src/equipment/reading/view.js";
import type { ActuatorStatus } from "../../../src/equipment/status.js";

const held: HeldDevice = {
  siteId: "home",
  settings: {
    id: "boiler",
    name: null,
    template: "my-pv",
    with: {},
    reads: null,
    controls: "slot 1",
    dry_run: false,
    fallback: false,
    poll_s: 10,
    reversed: [],
    serial: null,
  } as Partial<HeldDevice["settings"]> as HeldDevice["settings"],
  templateName: "my-PV",
  isExperimental: false,
  address: "",
  reads: [],
  device: undefined,
  fault: undefined,
};

const commandIn = (phase: ActuatorPhase, confirmed: ActuatorStatus["confirmed"]) => {
  const status: Partial<ActuatorStatus> = {
    phase,
    wanted: { state: "off", powerKw: 0 },
    accepted: null,
    confirmed,
    writesToday: 0,
    lastError: null,
  };
  return deviceView(held, status as ActuatorStatus, new Date(0)).command;
};

it("does not call a device confirmed that hourgate has set nothing on", () => {
  expect(commandIn("idle", null)).toMatchObject({ planned: "off", confirmed: null, state: "released" });
  const confirmed = { state: "off", powerKw: 0, at: new Date(0) };
  expect(commandIn("confirmed", confirmed)).toMatchObject({ confirmed: "off", state: "confirmed" });
});
