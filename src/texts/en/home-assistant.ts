/** Names of the entities in Home Assistant by their key; users can rename entities there. */
export const englishHomeAssistant = {
  model: "Energy gateway",
  entities: {
    price_eur: "Price in EUR",
    price_signal: "Price signal",
    next_charge: "Next charge",
    savings_today: "Savings today",
    savings_month: "Savings this month",
  },
  /** After the label of one of several batteries. */
  batterySoc: "state of charge",
  /** After the id of an actuator. */
  actuator: {
    state: "state",
    confirmed: "confirmed",
    problem: "problem",
    writes: "commands today",
    enabled: "enabled",
  },
  /** After the label of the device. */
  slot: {
    chargeNow: "charge now",
    release: "release",
    nextStart: "next start",
    setPower: "set power",
    plugged: "plugged in",
    override: "override",
    overrideUntil: "override until",
    fullBy: "full by",
    vehicleSoc: "vehicle SOC",
    sgReady: "SG Ready",
  },
};
