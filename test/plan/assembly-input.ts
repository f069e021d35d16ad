import type { AssemblyInput } from "../../src/plan/assembly-input.js";

/** Hourly facts of a site at 50 % SOC, without a tariff, devices and a vehicle that charges. */
export function assemblyInput(
  given: Pick<AssemblyInput, "now" | "plant"> & Partial<AssemblyInput>,
): AssemblyInput {
  return {
    siteId: "home",
    stepMinutes: 60,
    hours: [],
    quarter: ({ p50 }) => p50,
    tariff: undefined,
    soc: { pct: 50, ageMinutes: 0, lost: false },
    evPowerKw: 0,
    sitePowerKw: undefined,
    currentQuartile: 1,
    ...given,
  };
}
