import { describe, expect, it } from "vitest";
import { defaultSettings } from "../../src/config/load.js";
import type { PlantSettings } from "../../src/config/settings.js";
import type { BatteryOverrideRequest } from "../../src/plan/battery-override.js";
import { pass, startService } from "./plan-service.js";

const plant = defaultSettings().plants[0]!;
const battery = plant.battery!;

interface Situation {
  socPct: number;
  /** EUR/MWh by UTC hour; it is 00:00 in UTC. */
  priceAt: (hour: number) => number;
  pvKwAt?: (hour: number) => number;
  battery?: Partial<typeof battery>;
  grid?: Partial<PlantSettings["grid"]>;
  override?: BatteryOverrideRequest;
  /** When the gateway crashes; left out: 22. */
  minutes?: number;
}

const dearEvening = (hour: number) => (hour < 5 ? 100 : 400);
const MODES: Record<string, Situation> = {
  charge: { socPct: 20, priceAt: (hour) => (hour < 1 ? 40 : hour < 3 ? 60 : 400) },
  hold: { socPct: 40, priceAt: dearEvening, battery: { grid_charge_allowed: false } },
  free: { socPct: 80, priceAt: (hour) => (hour < 2 ? 400 : 50) },
  // The end of a run is no change that others have to act on; after a crash the run must not go on.
  "free after a run": { socPct: 90, priceAt: (hour) => (hour < 1 ? 50 : hour < 4 ? 400 : 60), minutes: 67 },
  block: {
    socPct: 50,
    priceAt: (hour) => (hour < 3 ? 100 : hour < 6 ? -300 : 100),
    pvKwAt: (hour) => (hour < 8 ? 6 : 0),
    battery: { controls: ["charge", "hold", "block"] },
  },
  "discharge to the grid": {
    socPct: 90,
    priceAt: (hour) => (hour < 1 ? 900 : 10),
    battery: { controls: ["charge", "hold", "discharge"], export_allowed: true },
  },
  "charge by hand": { socPct: 50, priceAt: () => 100, override: { action: "charge", targetSocPct: 90 } },
  "hold by hand": {
    socPct: 80,
    priceAt: (hour) => (hour < 2 ? 400 : 50),
    override: { action: "hold", until: new Date("2026-01-15T02:00:00Z") },
  },
};

describe("a crash and a restart in the middle of a mode", () => {
  it.each(Object.entries(MODES))(
    "%s: the command stays, with its reason and since when",
    async (name, of) => {
      const hourOf = (at: Date) => at.getUTCHours();
      const options = {
        plant: { ...plant, battery: { ...battery, ...of.battery }, grid: { ...plant.grid, ...of.grid } },
        priceOf: (at: Date) => of.priceAt(hourOf(at)),
        ...(of.pvKwAt !== undefined && { pvKwAt: (at: Date) => of.pvKwAt!(hourOf(at)) }),
      };
      const documents = new Map<string, unknown>();
      const first = await startService({ ...options, documents });
      first.report("soc_pct", of.socPct);
      if (of.override !== undefined) await first.service.override("home", of.override);
      const stateOf = (service: typeof first.service) => {
        const { command: decided, commandSince, override, steps } = service.current("home")!;
        // The worth of a stored kWh moves with the state of charge; it commands nothing.
        const { valueCtKwh: _, ...command } = decided;
        return { command, commandSince, override, reason: steps[0]?.reason?.code };
      };
      // In the middle of a quarter-hour.
      await pass(first.clock, of.minutes ?? 22);
      const before = stateOf(first.service);
      expect(before.command.mode).toBe(name.split(" ")[0]);
      // What is on disk at a crash; nothing is stopped.
      const second = await startService({
        ...options,
        documents: structuredClone(documents),
        clock: first.clock,
      });
      expect(stateOf(second.service)).toEqual(before);
      const soc = first.service.decide("home", {}).steps[0]!.socEndPct;
      second.report("soc_pct", Math.round(soc));
      expect(stateOf(second.service)).toEqual(before);
      await pass(first.clock, 3);
      expect(stateOf(second.service).command).toEqual(stateOf(first.service).command);
      await Promise.all([first.service.stop(), second.service.stop()]);
    },
  );
});
