/** Constants of the policy; docs/research/planner.md says how each was chosen and what it brings. */
export const POLICY_SETTINGS = {
  /** Share of the measured net load in the decision for the rest of a step; the scenarios have the other share. */
  measuredShare: 0.5,
  /** A mode is kept while another gains no more than this, ct for a battery of 10 kWh. */
  hysteresisCt: 0.25,
  /** At this standard deviation of the net load, kW; otherwise in proportion, from a least to a most share of it. */
  usualSpreadKw: 0.2,
  leastHysteresis: 0.1,
  mostHysteresis: 2,
  /** Stored energies at which value functions are kept. */
  points: 41,
  /** The same where nothing is uncertain: one scenario alone leaves the time for it. */
  pointsWhenCertain: 161,
};
