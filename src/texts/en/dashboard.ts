/** The dashboard of a site. */
export const englishDashboard = {
  title: "Dashboard",
  headline: {
    charging: "Charging from the grid now",
    chargingUntil: (end: string) => `Charging from the grid now, until ${end}`,
    next: (span: string) => `Next charge from the grid: ${span}`,
    none: "Charging from the grid does not pay in the next 7 days",
    noBattery: "No charging plan yet: no battery is entered",
    noPrices: "No charging plan yet: no prices are known yet",
    noSoc: "No charging plan yet: the state of charge is missing",
    because: "Why:",
    now: "Now:",
  },
  steps: {
    title: "What to do next",
    noBattery: "Enter your battery.",
    toBattery: "Enter the battery",
    noPrices: "The prices are being fetched; this page updates by itself.",
    noSoc:
      "The plan needs the battery's state of charge (soc_pct, 0 to 100), best every few minutes. One message is enough for the first plan.",
    byHttp: "By HTTP, with your API key:",
    byMqtt: "Or by MQTT, with the API key as password:",
    toTopics: "Another device publishes it by MQTT already? Enter its topic",
    reference: "Description of the interface",
  },
  savings: {
    title: "Savings",
    of: (eur: string) => `${eur} EUR in the next 7 days`,
    against: "compared with a battery that is charged from PV surplus only.",
    stored: (eur: string, isLess: boolean): string =>
      isLess
        ? `Already deducted: ${eur} EUR for energy that the battery then lacks.`
        : `This includes ${eur} EUR for energy that is then still stored in the battery.`,
    cost: (eur: string, low: string, high: string) =>
      `Expected cost ${eur} EUR, in 8 of 10 cases between ${low} and ${high} EUR.`,
    bound: (eur: string) => `If the load were known in advance, at most ${eur} EUR more could be saved.`,
    none: "As soon as there is a plan, this shows the expected savings.",
  },
  soc: {
    title: "State of charge",
    age: (age: string) => `reported ${age} ago`,
    stale: "out of date; the state of charge of the plan applies",
    lost: "too old: for safety the battery does not charge; discharging stays allowed",
    none: "not known",
    now: "reported just now",
  },
  price: {
    title: "Price now",
    quartiles: {
      1: "in the cheapest quarter of the day",
      2: "below the day's average",
      3: "above the day's average",
      4: "in the most expensive quarter of the day",
    },
    allIn: "total price with your tariff",
    market: "market price without a tariff",
  },
  tariff: {
    ends: (date: string, isOver: boolean): string =>
      isOver
        ? `The amounts of the tariff were known until ${date} and continue to be used. Enter those that apply now.`
        : `The amounts of the tariff are known until ${date}. Enter those that apply after it.`,
    levyEnds: (name: string, date: string): string =>
      `The levy "${name}" of the tariff ends on ${date} and none follows. If it goes on, enter it with the date it applies from.`,
  },
  chart: {
    title: "Price and plan",
    hours: (count: 48 | 168): string => (count === 48 ? "48 hours" : "7 days"),
    description: "Price by hour, hours that charge from the grid, state of charge, PV and load.",
    table: "Values as a table",
    time: "Time",
    price: "Price (ct/kWh)",
    charge: "Charging (kWh)",
    soc: "State of charge (%)",
    band: "State of charge in 8 of 10 cases",
    pv: "PV (kW)",
    load: "Load (kW)",
    action: "Battery",
    forecast: "forecast",
    none: "No prices yet.",
  },
  actions: {
    title: "What happens next",
    none: "Nothing is planned.",
    charge: (kwh: string, ct: string) => `Charges from the grid: ${kwh} kWh at ${ct} ct/kWh on average`,
    hold: "Discharging is blocked, the battery keeps its energy",
    slot: (label: string) => `${label} runs`,
  },
  batteries: {
    title: "Batteries",
    name: "Battery",
    soc: "State of charge",
    charging: "Charging",
    dischargeCap: "Discharge cap",
    chargeCap: "PV charge cap",
    follows: "Follows",
    stale: "assumed",
    states: { yes: "yes", no: "no", unknown: "not known" },
  },
  outputs: {
    title: "Outputs O1 to O16",
    noPlan: "As soon as there is a plan, this shows the values for controllers.",
    output: "Output",
    meaning: "Meaning",
    value: "Value",
    now: "now",
    names: {
      O1: "Charge now",
      O2: "Charging power now",
      O3: "Total hours of charging",
      O4: "Hours of charging today",
      O5: "Energy to charge",
      O6: "Time to the next charge",
      O7: "Price quarter now (1 cheap, 4 expensive)",
      O8: "Price now",
      O9: "State of charge at the end of charging",
      O10: "Discharging is controlled",
      O11: "Lowest state of charge",
      O12: "Maximum discharge power",
      O13: "Charging from the grid allowed",
      O14: "Maximum charge power from PV surplus",
      O15: "Maximum feed-in power",
      O16: "Set discharge power",
    },
  },
  cap: {
    full: "The battery may discharge fully.",
    cheap_hold: "The price is low now; the energy is kept for more expensive hours.",
    near_min_soc:
      "The state of charge is near its minimum, and no charging is planned before the expensive hours.",
    ev_charge_block: "The wallbox is charging; the battery must not discharge into the car.",
    ev_charge_limit: "The wallbox is charging; the battery supplies only the configured share.",
    telemetry_lost:
      "The state of charge is too old; for safety the battery does not charge; discharging stays allowed.",
  },
  chargeCap: {
    full: "PV surplus is stored.",
    pv_later: "PV surplus is not stored now; the battery keeps room for later.",
  },
  following: {
    title: "The battery does not follow its commands",
    since: (moment: string) => `since ${moment}`,
    causes: {
      none: "",
      no_telemetry: "No current reading of the battery.",
      command_changed: "The command has just changed.",
      not_charging:
        "It should charge from the grid, but charges less or not at all. Check the controller that carries out O1 and O2.",
      discharges_despite_cap:
        "It discharges although O12 forbids it. Check the controller that carries out O12.",
      charges_despite_cap:
        "It stores PV surplus although O14 forbids it. Check whether the inverter can block charging; if not, remove block from the controls.",
      not_discharging:
        "It should discharge with a set power, but does not. Check the controller that carries out O16.",
      charges_from_grid:
        "It charges from the grid without a command. Check the time programs of the inverter.",
    },
  },
  does: {
    grid_charge: "charges from the grid",
    pv_charge: "charges from PV",
    discharge: "supplies the home",
    export: "feeds in",
    hold: "does not discharge",
    idle: "idle",
  },
  calibration: {
    title: "Expected and achieved savings",
    caption: "By month, against the same battery with self-consumption only.",
    month: "Month",
    promised: "Expected (EUR)",
    achieved: "Achieved (EUR)",
    days: "Days compared",
    notMeasured: "Days without measurements",
    explanation:
      "Expected: what the plan calculated at the start of each day for that day. Achieved: calculated from the meters, PV and battery readings and the prices that applied. Days without a plan at their start are not counted.",
    none: "The first comparison is made at the end of the first day with a plan, meter and battery readings.",
  },
  slots: {
    title: "Devices",
    none: "No devices are entered.",
    now: "runs now",
    sgReady: { block: "blocked", normal: "normal", encourage: "encouraged", force: "forced on" },
    following: (kw: string) => `charges with ${kw} kW`,
    next: (when: string) => `starts ${when}`,
    idle: "nothing planned",
    unplugged: "not plugged in",
    override: { run: "Run now", skip: "Skip", auto: "By schedule" },
    overridden: {
      run: (until: string) => `switched on until ${until}`,
      skip: (until: string) => `skipped until ${until}`,
      full: (until: string) => `done by ${until}`,
    },
    unmet: (hours: string) => `${hours} hours do not fit into the window`,
  },
  quota: {
    title: "Calls left",
    left: (remaining: string, limit: string) => `${remaining} of ${limit}`,
    resets: (when: string) => `reset: ${when}`,
    more: "See the plan",
  },
  components: { title: "Some functions are limited", degraded: "limited", down: "down" },
  yes: "yes",
  no: "no",
  none: "none",
  live: "This page updates by itself.",
};
