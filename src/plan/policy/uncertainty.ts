import type { PvNodes } from "./policy-input.js";

/** PV where the home's own record says nothing yet. */
export const USUAL_PV: PvNodes = {
  factors: [0.65, 1, 1.3],
  shares: [1 / 3, 1 / 3, 1 / 3],
  persistence: 0.92,
};
