import { describe, expect, it } from "vitest";
import type { ReadDevice } from "../../src/equipment/reading/device.js";
import { TemplateLibrary } from "../../src/equipment/template-library.js";
import { FAMILIES } from "./simulated/families.js";
import type { Expected } from "./simulated/family.js";
import { NOON, POINTS } from "./simulated/home.js";
import { readDevice } from "./simulated/read.js";

const library = await TemplateLibrary.open();
/** Polls after which a reading must be right. */
const POLLS = 6;
/** What a device publishes by itself takes a moment to arrive. */
const ARRIVES_MS = 5_000;
const BETWEEN_MS = 50;

/** The names of the readings that are not what they must be, with both values. */
function wrong(device: ReadDevice, expected: Expected): Record<string, unknown> {
  const now = device.options.clock.now();
  return Object.fromEntries(
    Object.entries(expected).flatMap(([name, wanted]) => {
      const kept = device.readings.get(name);
      const { value, quality } =
        kept === undefined ? { value: null, quality: "none" } : device.shown(name, now);
      const current = ["good", "derived"].includes(quality) ? value : null;
      // While an inverter sleeps, its power is known to be none.
      if (wanted === null && quality === "derived" && value === 0) return [];
      return isRight(current, wanted) ? [] : [[name, { is: current, raw: value, quality, wanted }]];
    }),
  );
}

/** Within 1 %, or half of the last digit that devices show. */
function isRight(value: number | boolean | null, wanted: number | boolean | null): boolean {
  if (wanted === null || value === null) return value === wanted;
  const [is, must] = [Number(value), Number(wanted)];
  return Math.abs(is - must) <= Math.max(Math.abs(must) * 0.01, 0.006);
}

describe.concurrent("templates read what their devices show", () => {
  it.each(FAMILIES.map((family) => [`${family.template}: ${family.title}`, family] as const))(
    "%s",
    async (_, family) => {
      const all: Record<string, unknown> = {};
      let home = NOON;
      const running = await family.start(() => home);
      const device = readDevice(library, { template: family.template, with: running.with });
      try {
        for (const point of POINTS) {
          home = point;
          let faults: Record<string, unknown> = {};
          const isPublished = running.with.broker !== undefined || family.template === "sma-energy-meter";
          const endMs = performance.now() + (isPublished ? ARRIVES_MS : 0);
          for (let poll = 0; poll < POLLS || performance.now() < endMs; poll += 1) {
            await device.read();
            faults = wrong(device, family.expected(point));
            if (Object.keys(faults).length === 0) break;
            await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS));
          }
          if (Object.keys(faults).length > 0) all[`${point.point} (${device.lastError?.message})`] = faults;
        }
        if (Object.keys(all).length > 0) expect.fail(JSON.stringify(all));
      } finally {
        await device.stop();
        await running.stop();
      }
    },
  );
});

describe.concurrent("a device that is read wrongly, or sleeps", () => {
  const family = FAMILIES.find(({ template }) => template === "fronius-gen24")!;

  it("gives no value under a wrong unit, and says why", async () => {
    const running = await family.start(() => NOON);
    const device = readDevice(library, {
      template: family.template,
      with: { ...running.with, unit: 7, meter_unit: 8 },
    });
    for (let poll = 0; poll < 3; poll += 1) await device.read();
    const now = device.options.clock.now();
    expect([...device.readings.keys()].filter((name) => device.shown(name, now).value !== null)).toEqual([]);
    expect(device.state).not.toBe("ok");
    expect(device.reason).toMatch(/unit/);
    await device.stop();
    await running.stop();
  });

  it("is no fault if it does not answer in the dark, and one by day", async () => {
    for (const isDark of [true, false]) {
      const running = await family.start(() => NOON);
      const device = readDevice(library, { template: family.template, with: running.with }, { isDark });
      await device.read();
      expect(device.state).toBe("ok");
      await running.stop();
      for (let poll = 0; poll < 4; poll += 1) await device.read();
      expect(device.state).toBe(isDark ? "sleeping" : "unreachable");
      const { value, quality } = device.shown("pv_power_kw", device.options.clock.now());
      expect({ value, quality }).toEqual(
        isDark ? { value: 0, quality: "derived" } : { value: expect.any(Number), quality: "held" },
      );
      await device.stop();
    }
  });
});
