import { expect, it } from "vitest";
import { DeviceCommands } from "../../src/equipment/device-commands.js";
import { beginningOf, emptyLedger, ledgerFromJson, ledgerToJson } from "../../src/equipment/ledger.js";
import { type DeviceRules, stateOfLedger } from "../../src/equipment/machine/device-state.js";
import { allowedAtMs } from "../../src/equipment/machine/questions.js";
import { parametersOf } from "../../src/equipment/parameters.js";
import { TemplateLibrary } from "../../src/equipment/template-library.js";
import { wantedState } from "../../src/equipment/wanted.js";

it.each(["shelly-gen2", "shelly-gen1"])(
  "lets the relay that blocks alone end first when nobody renews both (%s)",
  async (transport) => {
    const template = (await TemplateLibrary.open()).get("sg-ready")!;
    const given = { transport, relay_1: "10.0.0.1", relay_2: "10.0.0.2", force_allowed: true };
    const { values } = parametersOf(template, given);
    const parameters = { ...values, plant: "home", actuator: "pump" };
    const pump = new DeviceCommands({ template, transport, control: "sg_ready", parameters });
    const seconds = pump.requests(wantedState("force")).map(({ url = "", body = "" }) => {
      const [, host] = /10\.0\.0\.(\d)/.exec(url)!;
      return [host, Number(/(?:toggle_after":|timer=)(\d+)/.exec(url + body)![1])];
    });
    expect(seconds).toEqual([
      ["2", 1800],
      ["1", 1795],
    ]);
  },
);

it("keeps the least time of its states over a restart: it was normal for a few seconds only", () => {
  const changedAt = new Date("2026-11-24T01:00:00Z");
  const nowMs = changedAt.getTime() + 10_000;
  const stored = JSON.stringify(ledgerToJson({ ...emptyLedger(), changedAt }));
  const pump = {
    dwellsAtEnd: true,
    minDwellMs: 900_000,
    maxWritesPerDay: 48,
    neutral: "normal",
  } as DeviceRules;
  const begun = stateOfLedger(beginningOf(ledgerFromJson(JSON.parse(stored)), pump), nowMs);
  const machine = {
    ...begun,
    target: { kind: "state", wanted: wantedState("encourage"), isTest: false },
  } as const;
  const context = { nowMs, day: "2026-11-24", leftOfDayMs: 3_600_000, jitter: 0.5 };
  expect(allowedAtMs(machine, wantedState("encourage"), context, pump)).toBe(changedAt.getTime() + 900_000);
});
