import { expect, it } from "vitest";
import { DAY_MS } from "../../src/core/domain/interval.js";
import { silentLog } from "../../src/core/log.js";
import type { LoadModel } from "../../src/forecast/load/load-model.js";
import { PresenceService } from "../../src/telemetry/presence-service.js";
import { NO_CALENDARS } from "../telemetry/usual-presence.js";
import { pass, START, startService } from "./plan-service.js";

/** Three weeks of a home that uses 0.2 kWh an hour, and 1.5 kWh from 17:00 to 22:00 unless it stayed empty, on one day in four. */
const learned: LoadModel = {
  timeZone: "Europe/Vienna",
  fromMs: START.getTime() - 21 * DAY_MS,
  hourKwh: Array.from({ length: 21 * 24 }, (_, hour) =>
    hour % 24 >= 16 && hour % 24 < 21 && Math.floor(hour / 24) % 4 > 0 ? 1.5 : 0.2,
  ),
  persistence: 0.4,
};

it("plans less load and less charging once an absence is named, and as before when it is taken back", async () => {
  let presence: PresenceService | undefined;
  const loads = { model: (): LoadModel => ({ ...learned, periods: presence?.periods("home") ?? [] }) };
  const { bus, clock, service, sites, report } = await startService({ loads });
  presence = new PresenceService({
    bus,
    clock,
    sites,
    calendars: NO_CALENDARS,
    documents: { get: async () => undefined, put: async () => {} },
    log: silentLog,
  });
  await presence.start();
  report("soc_pct", 20);
  const expected = async () => {
    await pass(clock, 1);
    service.settle("home");
    const { days } = service.current("home")!;
    const sum = (of: (day: (typeof days)[number]) => number) =>
      days.reduce((total, day) => total + of(day), 0);
    return { loadKwh: sum((day) => day.loadKwh), chargeKwh: sum((day) => day.energyChargeKwh) };
  };
  const usual = await expected();
  await presence.add("home", {
    kind: "away",
    from: clock.now(),
    until: new Date(START.getTime() + 3 * DAY_MS),
  });
  const away = await expected();
  await presence.remove("home", presence.periods("home")[0]!.id);
  const back = await expected();
  await presence.stop();
  await service.stop();
  // Three evenings of five hours, of which three in four use 1.3 kWh more than an empty home.
  expect(usual.loadKwh - away.loadKwh).toBeGreaterThan(3 * 5 * 1.3 * 0.5);
  expect(away.loadKwh).toBeLessThan(72 * 0.2 * 1.1);
  expect(usual.chargeKwh).toBeGreaterThan(away.chargeKwh + 5);
  // Two minutes later there is that much less load ahead.
  expect(Math.abs(back.loadKwh - usual.loadKwh)).toBeLessThan((2 / 60) * 1.5);
  expect(Math.abs(back.chargeKwh - usual.chargeKwh)).toBeLessThan(0.5);
});
