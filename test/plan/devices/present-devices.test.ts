import { describe, expect, it } from "vitest";
import { defaultSettings } from "../../../src/config/load.js";
import type { SlotSettings } from "../../../src/config/settings.js";
import type { LoadModel } from "../../../src/forecast/load/load-model.js";
import { type DeviceSources, presentDevices } from "../../../src/plan/devices/present-devices.js";
import type { SlotPlan } from "../../../src/plan/windows/slot-schedule.js";
import { slotSettings } from "../../api/fake-services.js";

const NOW = new Date("2026-01-15T18:00:00Z");
const MODEL: LoadModel = {
  timeZone: "UTC",
  fromMs: 0,
  hourKwh: [],
  persistence: 0.5,
  devices: [{ slot: 1, hourKwh: [] }],
};

function present(
  slot: Partial<SlotSettings>,
  sources: { kw?: number; plan?: Partial<SlotPlan>; now?: Date; taken?: (from: Date) => number } = {},
) {
  const plant = {
    ...defaultSettings().plants[0]!,
    slots: [{ ...slotSettings({ slot: 1 }), kind: "wallbox", ...slot } as SlotSettings],
  };
  const at = NOW;
  const live: ReturnType<DeviceSources["telemetry"]["live"]> =
    sources.kw === undefined ? {} : { ev_power_kw: { value: sources.kw, at } };
  return presentDevices({ id: "home", accountId: "owner", plant }, MODEL, {
    now: sources.now ?? NOW,
    sources: {
      telemetry: { live: () => live },
      meters: { delivered: (_site, _slot, from) => ({ kwh: sources.taken?.(from) ?? 4, isMeasured: true }) },
      flex: { current: () => (sources.plan ? [{ slot: 1, later: [], ...sources.plan } as SlotPlan] : []) },
    },
  });
}

describe("presentDevices", () => {
  it("has a wallbox that nobody plans, with what it does now", () => {
    expect(present({}, { kw: 7 })).toEqual({
      devices: [{ slot: 1, state: { recentKwh: 4, isOn: true } }],
      vehicleIsExpected: true,
    });
    expect(present({}, { kw: 0.02 }).devices).toMatchObject([{ state: { isOn: false } }]);
    // Nothing is plugged in: it takes nothing in the hour in progress.
    expect(present({}, { kw: 7, plan: { plugged: 0 } }).devices).toEqual([
      { slot: 1, state: { recentKwh: 4, isOn: false }, aheadKwh: [0] },
    ]);
  });

  it("has what is planned only after its windows", () => {
    const end = new Date("2026-01-16T06:00:00Z");
    const result = { role: "consume", window: { start: NOW, end, askedEnd: end, truncated: false } };
    const plan = { result, later: [] } as unknown as Partial<SlotPlan>;
    expect(present({}, { plan })).toEqual({
      devices: [{ slot: 1, plannedUntilMs: end.getTime() }],
      vehicleIsExpected: false,
    });
  });

  it("leaves out what the battery serves by a fixed share, and slots that are off", () => {
    expect(present({ battery_to_ev_pct: 0 }, { kw: 7 }).devices).toEqual([]);
    expect(present({ enabled: false }, { kw: 7 }).devices).toEqual([]);
  });

  it("compares whole hours of a device that switches itself, also within a quarter-hour", () => {
    const now = new Date("2026-01-15T18:14:00Z");
    // 2 kW all the time, in quarter-hours: the one in which the time begins is counted in full.
    const taken = (from: Date) =>
      (2 * (now.getTime() - Math.floor(from.getTime() / 900_000) * 900_000)) / 3_600_000;
    const [device] = present({ kind: "heat_pump" }, { now, taken }).devices;
    expect(device!.recent!.atMs).toBe(Date.parse("2026-01-15T18:00:00Z"));
    for (const kwh of device!.recent!.hourKwh) expect(kwh).toBeCloseTo(2, 9);
  });
});
