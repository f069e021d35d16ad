import type { PvNodes } from "./policy-input.js";

/** PV where the home's own record says nothing yet. */
export const USUAL_PV: PvNodes = {
  factors: [0.65, 1, 1.3],
  shares: [1 / 3, 1 / 3, 1 / 3],
  persistence: 0.92,
};

/** Without PV a high persistence brings mode changes and no saving. */
const HIGHEST_WITHOUT_PV = 0.2;

/** The persistence of the load to plan with. */
export function usedPersistence(learned: number, hasPv: boolean): number {
  return hasPv ? learned : Math.min(learned, HIGHEST_WITHOUT_PV);
}
