/** Constants of the policy; docs/research/planner.md says how each was chosen and what it brings. */
export const POLICY_SETTINGS = {
  /** Share of the measured net load in the decision for the rest of a step; the scenarios have the other share. */
  measuredShare: 0.5,
  /** What a change of the mode costs a battery of 10 kWh beside money: it has to gain more, ct. */
  changeCt: 0.2,
  /** Stored energies at which value functions are kept. */
  points: 41,
  /** The same where nothing is uncertain: one scenario alone leaves the time for it. */
  pointsWhenCertain: 161,
};
