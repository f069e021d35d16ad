import { englishOverrides } from "./overrides.js";
import { englishOverview } from "./overview.js";

/** The dashboard of a site. */
export const englishDashboard = {
  title: "Overview",
  headline: {
    none: "Charging from the grid would not pay off in the next 7 days",
    missing: {
      battery: "No charging plan yet: no battery is entered",
      prices: "No charging plan yet: no prices are known yet",
      soc: "No charging plan yet: the state of charge is missing",
    },
    details: {
      title: "Details",
      worth: (ct: string) =>
        `A stored kWh is expected to be worth ${ct} ct later. The battery stores and keeps energy that costs less than that, and supplies the home where electricity costs more.`,
    },
  },
  steps: {
    title: "What to do next",
    noBattery: "If you have a battery, or a device that can wait, enter it.",
    toBattery: "Enter the battery",
    noPrices: "The prices are being fetched; this page updates by itself.",
    noSoc:
      "The plan needs the battery's state of charge in percent, ideally every few minutes. One message is enough for the first plan.",
    byHttp: "Over HTTP, with your API key:",
    byMqtt: "Or over MQTT, with the API key as password:",
    toTopics: "Does another device already publish it over MQTT? Enter its topic",
    reference: "Description of the interface",
  },
  applyProposal: "Use this setting",
  savings: {
    month: "This month",
    total: "Since installation",
    of: (eur: string) => `${eur} € in the next 7 days`,
    expected: "Expected:",
    explanation:
      "Each amount compares the cost with that of the same home uncontrolled: the battery stores PV surplus, serves the load and never charges from the grid; the car charges as soon as it is connected, a boiler without a window heats at its usual hours, other devices run from the start of their window. Amounts of the past are computed from measurements. The next 7 days are an expectation for the battery, with the devices as planned.",
    stored: (eur: string, isLess: boolean): string =>
      isLess
        ? `Already deducted: ${eur} € for energy that the battery then lacks.`
        : `This includes ${eur} € for energy that is then still stored in the battery.`,
    cost: (eur: string, low: string, high: string) =>
      `Expected cost ${eur} €, in 8 of 10 cases between ${low} and ${high} €. It is for energy and grid of all planned load, without fixed amounts.`,
    bound: (eur: string) => `If the load were known in advance, at most ${eur} € more could be saved.`,
  },
  soc: {
    title: "State of charge",
    stale: "out of date; using the planned state of charge",
    lost: "too old: for safety the battery is not charged; discharging is still allowed",
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
      `The levy "${name}" of the tariff ends on ${date} and nothing replaces it. If it continues, enter it with its new start date.`,
  },
  chart: {
    time: "Time",
    price: "Price (ct/kWh)",
    soc: "State of charge (%)",
    past: "Commands of the last 24 hours",
    command: "Command",
    reason: "Reason",
    device: (slot: number) => `Device ${slot}`,
    lanes: {
      charge: "Charges from the grid",
      hold: "Holds its charge",
      standby: "Rests",
      discharge: "Discharges",
      block: "Does not store PV surplus",
    },
    pv: "PV (kW)",
    load: "Load (kW)",
    action: "Battery",
    none: "No prices yet.",
  },
  outputsPage: {
    title: "Outputs and service",
    lead: "The values that controllers read.",
    link: "Outputs for controllers",
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
    title: (last: string) => `Outputs O1 to ${last}`,
    noPlan: "As soon as there is a plan, this shows the values for controllers.",
    output: "Output",
    meaning: "Meaning",
    value: "Value",
    now: "now",
  },
  cap: {
    full: "The battery may discharge fully.",
    override: "Manual override: the battery is not discharged.",
    cheap_hold: "The price is low now; the energy is kept for more expensive hours.",
    near_min_soc:
      "The state of charge is near its minimum, and no charging is planned before the expensive hours.",
    ev_charge_block: "The wallbox is charging; the battery must not discharge into the car.",
    ev_charge_limit: "The wallbox is charging; the battery supplies only the configured share.",
    telemetry_lost:
      "The state of charge is too old; for safety the battery is not charged; discharging is still allowed.",
  },
  chargeCap: {
    full: "PV surplus is stored.",
    pv_later: "PV surplus is not stored now; the battery keeps room for later.",
    standby:
      "The battery rests to keep its energy; its inverter can stop discharging only together with charging.",
  },
  missingReadings: {
    since: (moment: string, names: string) => `No reading since ${moment}: ${names}.`,
    names: {
      soc: "state of charge",
      pv: "PV power",
      load: "household consumption",
      battery: "battery power",
    },
    socStale: (minutes: number) =>
      `Meanwhile hourgate uses the state of charge that its plan expects for now; after ${minutes} minutes without a reading it no longer charges from the grid.`,
    socLost:
      "The state of charge is too old: for safety hourgate does not charge the battery from the grid; discharging is still allowed.",
    powers: "Instead of the missing power readings hourgate uses the PV forecast and the usual consumption.",
    following: "Whether the battery follows its commands cannot be seen until then.",
    where: "Connect shows which connection has stopped sending",
  },
  following: {
    title: "The battery does not follow its commands",
    since: (moment: string) => `since ${moment}`,
    causes: {
      none: "",
      no_telemetry: "No current reading of the battery.",
      command_changed: "The command has just changed.",
      not_charging:
        "It should charge from the grid, but charges less or not at all. Check the controller that carries out charging.",
      discharges_despite_cap:
        "It discharges although that is blocked. Check the controller that limits discharging.",
      charges_despite_cap:
        "It stores PV surplus although that is blocked. Check whether the inverter can block charging; if not, remove block from the controls.",
      not_discharging:
        "It should discharge at a set power, but does not. Check the controller that carries out discharging.",
      charges_from_grid:
        "It charges from the grid without a command. Check the time programs of the inverter.",
      external: "Somebody else has changed the device; hourgate leaves it alone for a while. See Devices.",
      offline: "The device is not available to hourgate. See Devices.",
      declined: "The device accepts the command, but does not follow it now.",
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
  slots: {
    title: "Devices",
    none: "No devices are entered.",
    now: "runs now",
    sgReady: { block: "blocked", normal: "normal", encourage: "encouraged", force: "forced on" },
    following: (kw: string) => `charging at ${kw} kW`,
    next: (when: string) => `starts ${when}`,
    idle: "nothing planned",
    unplugged: "not plugged in",
    bySchedule: "By schedule",
    overridden: {
      run: (until: string) => `switched on until ${until}`,
      skip: (until: string) => `skipped until ${until}`,
      full: (until: string) => `done by ${until}`,
      target: (until: string) => `target by ${until}`,
      surplus: (until: string) => `only sun until ${until}`,
      guest: (until: string) => `guest until ${until}`,
    },
    cost: (eur: string) => `${eur} € at the planned prices`,
    surplus: (kwh: string, of: string) => `PV surplus is expected to cover ${kwh} of ${of} kWh`,
    unmet: (hours: string) => `${hours} h do not fit into the window`,
    overLimit: (hours: string) => `${hours} h are left out: the import limit leaves too little power`,
    takesNothing: (since: string) =>
      `switched on since ${since}, but it takes no energy (vehicle asleep, device full or without power?); its energy is planned again`,
    notHot: (celsius: string) =>
      `has not become ${celsius} °C hot against legionella (thermostat set too low?); tried again on Sunday`,
  },
  ...englishOverrides,
  ...englishOverview,
  quota: {
    title: "Calls left",
    left: (remaining: string, limit: string) => `${remaining} of ${limit}`,
    resets: (when: string) => `reset: ${when}`,
    more: "See the plan",
  },
  yes: "yes",
  no: "no",
  none: "none",
};
