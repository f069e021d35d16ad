import { describe, expect, it } from "vitest";
import type { ControlledMode } from "../../src/core/domain/battery.js";
import { localTime, VIENNA } from "../../src/core/time/zone.js";
import { inverterCommand } from "../../src/ops/demo/home.js";
import { inverterStep } from "../../src/plan/physics/inverter.js";
import { planSite } from "../../src/plan/plan-site.js";
import { reasonText } from "../../src/plan/reason-text.js";
import type { SiteInput, StepPrice } from "../../src/plan/site-input.js";
import type { SitePlan } from "../../src/plan/site-plan.js";
import { siteInput } from "./site-fixture.js";

const MINUTE_MS = 60_000;
const CAPACITY_KWH = 10;
/** 3 May 2026, 06:00 in Vienna; 18 hours later the day is over. */
const START_MS = Date.parse("2026-05-03T04:00:00Z");
const QUARTERS = 72;
const ONE_WAY = Math.sqrt(0.9);
const STORAGE = {
  minSocKwh: 1,
  maxSocKwh: CAPACITY_KWH,
  maxChargePowerKw: 5,
  maxDischargePowerKw: 5,
  chargeEfficiency: ONE_WAY,
  dischargeEfficiency: ONE_WAY,
};

const hourAt = (ms: number) => localTime(new Date(ms), VIENNA).hour;
/** EUR/MWh. */
const spotAt = (ms: number) => {
  const hour = hourAt(ms);
  if (hour >= 11 && hour < 15) return -250;
  return hour >= 9 && hour < 17 ? -40 : 90;
};
/** Clear sky, 8 kWp. */
const pvKwAt = (ms: number) => Math.max(0, 6.5 * Math.sin(((hourAt(ms) - 6) / 14) * Math.PI));
const LOAD_KW = 0.4;

/** 48 hourly steps from `nowMs` on, all published. */
function pricesFrom(nowMs: number): StepPrice[] {
  const hourMs = 60 * MINUTE_MS;
  const first = Math.floor(nowMs / hourMs) * hourMs;
  return Array.from({ length: 48 }, (_, h) => {
    const startMs = Math.max(nowMs, first + h * hourMs);
    const priceCtKwh = spotAt(startMs) / 10;
    return {
      start: new Date(startMs),
      end: new Date(first + (h + 1) * hourMs),
      priceCtKwh,
      importCtKwh: (priceCtKwh + 10.5) * 1.2,
      exportCtKwh: priceCtKwh,
      source: "day_ahead" as const,
    };
  });
}

/** The values of the outputs that an inverter obeys. */
function outputsOf({ scalars }: SitePlan) {
  return {
    O1: scalars.chargeNow,
    O2: scalars.chargePowerKw,
    O9: scalars.chargeStopSocPct,
    O12: scalars.dischargePowerKw,
    O14: scalars.chargeCapKw,
    O15: scalars.feedInLimitKw,
    O16: scalars.dischargeSetKw,
  };
}

/** The Sunday, quarter-hour by quarter-hour: planned as the gateway does, and carried out by an inverter that obeys the outputs. */
function replay(controls: ControlledMode[], curtailmentAllowed: boolean) {
  let socKwh = 4;
  let previous: SitePlan | undefined;
  let ct = 0;
  const quarters = Array.from({ length: QUARTERS }, (_, k) => {
    const nowMs = START_MS + 15 * k * MINUTE_MS;
    const prices = pricesFrom(nowMs);
    const energies = (kwAt: (ms: number) => number) =>
      prices.map(({ start, end }) => (kwAt(start.getTime()) * (end.getTime() - start.getTime())) / 3_600_000);
    const input: Partial<SiteInput> = {
      now: new Date(nowMs),
      prices,
      loadKwh: energies(() => LOAD_KW),
      pvKwh: energies(pvKwAt),
      loadRatios: prices.map(() => [0.5, 0.8, 1, 1.2, 1.5]),
      netLoadKw: LOAD_KW - pvKwAt(nowMs),
      soc: { pct: (100 * socKwh) / CAPACITY_KWH, ageMinutes: 0, lost: false },
      grid: { curtailmentAllowed },
      battery: { ...siteInput([]).battery, efficiencyPct: 90, wearCtKwh: 1, controls },
      ...(previous !== undefined && { previous }),
    };
    const plan = planSite(siteInput([], input), { commandOnly: true });
    previous = plan;
    const outputs = outputsOf(plan);
    const flows = inverterStep({
      storage: STORAGE,
      command: inverterCommand(
        {
          chargeNow: outputs.O1 === 1,
          chargePowerKw: outputs.O2,
          chargeStopSocPct: outputs.O9,
          dischargeCapKw: outputs.O12,
          chargeCapKw: outputs.O14,
          ...(outputs.O15 !== null && { feedInLimitKw: outputs.O15 }),
          dischargeSetKw: outputs.O16,
        },
        CAPACITY_KWH,
      ),
      step: { minutes: 15, loadKwh: LOAD_KW / 4, pvKwh: pvKwAt(nowMs) / 4 },
      socKwh,
    });
    socKwh = flows.socEndKwh;
    const { importCtKwh, exportCtKwh } = prices[0]!;
    ct += flows.importKwh * importCtKwh - flows.exportKwh * exportCtKwh;
    return { hour: hourAt(nowMs), price: prices[0]!, plan, outputs, flows, socKwh };
  });
  const between = (from: number, to: number) => quarters.filter(({ hour }) => hour >= from && hour < to);
  const reasonNow = (plan: SitePlan) =>
    reasonText(plan.days[0]!.hours[0]!.reason, { language: "en", zone: VIENNA });
  return { quarters, between, reasonNow, ct };
}

describe("a Sunday with -250 EUR/MWh and full sun, through the outputs", () => {
  const blocking = replay(["charge", "hold", "block"], false);
  const curtailing = replay(["charge", "hold", "block"], true);
  const plain = replay(["charge", "hold"], false);

  it("waits with block in the morning and says why", () => {
    for (const { outputs, plan, flows } of blocking.between(9, 11)) {
      expect(plan.command.mode).toBe("block");
      expect(outputs).toMatchObject({ O1: 0, O14: 0 });
      expect(plan.scalars.chargeCapReason).toBe("pv_later");
      expect(blocking.reasonNow(plan)).toMatch(
        /^Feed-in earns .* the battery keeps room for later surplus or negative prices\.$/,
      );
      expect(flows.chargeKwh).toBe(0);
    }
  });

  it("charges at noon what the next night uses", () => {
    const noon = blocking.between(11, 15);
    expect(noon.reduce((sum, { flows }) => sum + flows.chargeKwh, 0)).toBeGreaterThan(4);
    expect(noon.at(-1)!.socKwh).toBeGreaterThan(8);
  });

  it("never discharges while importing earns money, whatever the inverter can do", () => {
    for (const { quarters } of [blocking, curtailing, plain]) {
      const negative = quarters.filter(({ price }) => price.importCtKwh < 0);
      expect(negative.length).toBe(16);
      for (const { outputs, plan, flows } of negative) {
        expect(outputs.O12).toBe(0);
        expect(plan.scalars.dischargeReason).toBe("cheap_hold");
        expect(flows.dischargeKwh).toBe(0);
      }
    }
  });

  it("feeds nothing in where that costs money and PV can be curtailed, else everything", () => {
    for (const { price, outputs, flows } of curtailing.quarters) {
      expect(outputs.O15).toBe(price.exportCtKwh < 0 ? 0 : null);
      if (price.exportCtKwh < 0) expect(flows.exportKwh).toBe(0);
    }
    for (const { outputs, flows } of plain.quarters) {
      expect(outputs.O15).toBeNull();
      expect(flows.curtailedKwh).toBe(0);
    }
    // Surplus that may not be fed in is stored for the night before the prices are positive again.
    expect(curtailing.between(16, 17).at(-1)!.socKwh).toBeGreaterThan(7.5);
    expect(curtailing.ct).toBeLessThan(blocking.ct);
  });

  it("stores the morning sun where the inverter cannot block", () => {
    for (const { outputs, plan } of plain.quarters) {
      expect(["free", "hold", "charge"]).toContain(plan.command.mode);
      expect(outputs.O14).toBe(5);
    }
    expect(plain.between(9, 11).at(-1)!.socKwh).toBeGreaterThan(8);
    expect(plain.reasonNow(plain.between(8, 9)[0]!.plan)).toMatch(
      /^The energy \(\d\.\d\d (of \d\.\d\d )?kW\) is for later consumption\.$/,
    );
  });

  it("costs less with an inverter that can block", () => {
    expect(blocking.ct).toBeLessThan(plain.ct - 20);
  });
});
