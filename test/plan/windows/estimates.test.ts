import { describe, expect, it } from "vitest";
import {
  expectedDrawKwh,
  storeKwhPerK,
  storeLossKw,
  storeTemperatureC,
  vehicleSocPct,
} from "../../../src/plan/windows/estimates.js";

const HOUR_MS = 3_600_000;
const START = Date.parse("2026-01-15T00:00:00Z");
const at = (hour: number) => new Date(START + hour * HOUR_MS);
const step = (from: number, to: number, kwh: number) => ({ start: at(from), end: at(to), kwh });

describe("vehicleSocPct", () => {
  const vehicle = { capacity_kwh: 50, efficiency_pct: 90, min_soc_pct: 20 };
  // 11 kW from 18:00 to 20:00.
  const energy = [step(18, 20, 22)];
  const soc = (known: { value: number; at: Date } | undefined, pluggedAt: Date | undefined, now = at(19)) =>
    vehicleSocPct(vehicle, { known, pluggedAt, energy, now });

  it("adds the energy charged since the last known value", () => {
    // Half of an hour at 11 kW: 5.5 kWh × 0.9 / 50 kWh.
    expect(soc({ value: 40, at: at(18.5) }, at(17.5))).toBeCloseTo(40 + 9.9, 9);
    expect(soc({ value: 40, at: at(17) }, at(17.5))).toBeCloseTo(40 + 19.8, 9);
    expect(soc({ value: 95, at: at(18) }, at(17.5), at(20))).toBe(100);
  });

  it("begins at the minimum where the last value is from before the trip, or unknown", () => {
    expect(soc({ value: 80, at: at(7) }, at(17.5))).toBeCloseTo(20 + 19.8, 9);
    expect(soc(undefined, at(17.5))).toBeCloseTo(20 + 19.8, 9);
    expect(soc(undefined, undefined)).toBe(20);
    expect(soc({ value: 80, at: at(7) }, undefined, at(8))).toBe(80);
  });
});

describe("a hot-water tank", () => {
  const store = {
    litres: 200,
    min_c: 45,
    max_c: 60,
    loss_w: 80,
    daily_kwh: 0,
    draw_profile: null,
    legionella_c: null,
  };
  const celsius = (settings: Partial<typeof store> | object, energy: ReturnType<typeof step>[], to: number) =>
    storeTemperatureC(
      { ...store, ...settings },
      { known: { value: 50, at: at(0) }, energy, now: at(to), zone: "UTC" },
    );

  it("is heated by 1 °C by 0.2326 kWh in 200 litres", () => {
    // Specific heat of water 4.187 kJ/(kg K).
    expect(storeKwhPerK(store)).toBeCloseTo((200 * 4.187) / 3600, 3);
    expect(celsius({ loss_w: 0 }, [step(0, 1, 2.326)], 1)).toBeCloseTo(60, 6);
    expect(celsius({ loss_w: 0 }, [step(0, 1, 2.326)], 0.5)).toBeCloseTo(55, 6);
  });

  it("cools towards the room as an exponential", () => {
    expect(storeLossKw(store, 60)).toBeCloseTo(0.08, 9);
    expect(storeLossKw(store, 15)).toBe(0);
    // Newton: 80 W at 40 °C above the room, 0.2326 kWh a degree.
    const rate = 0.08 / 40 / 0.2326;
    expect(celsius({}, [], 24)).toBeCloseTo(20 + 30 * Math.exp(-rate * 24), 1);
  });

  it("loses what is drawn, by the local clock hours", () => {
    const profile = Array.from({ length: 24 }, (_, hour) => (hour === 7 ? 1 : hour === 19 ? 3 : 0));
    const draw = { daily_kwh: null, draw_profile: profile };
    const day = Array.from({ length: 24 }, (_, hour) => ({ start: at(hour), end: at(hour + 1) }));
    expect(expectedDrawKwh(draw, day, "UTC")).toEqual(profile);
    expect(expectedDrawKwh(draw, day, "Europe/Vienna")[6]).toBeCloseTo(1, 9);
    expect(expectedDrawKwh({ ...draw, daily_kwh: 8 }, day, "UTC")[19]).toBeCloseTo(6, 9);
    const household = expectedDrawKwh({ daily_kwh: null, draw_profile: null }, day, "UTC");
    expect(household.reduce((sum, kwh) => sum + kwh, 0)).toBeCloseTo(5, 9);
    expect(celsius({ ...draw, loss_w: 0 }, [], 8)).toBeCloseTo(50 - 1 / 0.2326, 6);
    // It never gets colder than the water that flows in.
    expect(celsius({ daily_kwh: 100, loss_w: 0 }, [], 24)).toBeCloseTo(10, 6);
  });
});
