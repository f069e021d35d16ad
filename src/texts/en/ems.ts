/** The page of the EMS settings, apart from its fields. */
export const englishEms = {
  save: "Save",
  remove: "Remove",
  add: "Add",
  reset: "Back to the configuration file",
  sections: {
    place: { title: "Plant and place", intro: "The location is needed for weather and PV yield." },
    battery: { title: "Battery", intro: "You find these in the data sheet of the battery." },
    batteries: {
      title: "Several batteries",
      intro:
        "Batteries with an inverter each, planned together; each gets its own outputs. Adding one makes the single battery the first of them.",
    },
    pv: { title: "PV arrays", intro: "One for each direction." },
    load: { title: "Consumption", intro: "Used until readings arrive." },
    grid: { title: "Grid connection", intro: "Limits that the plan keeps." },
    tariff: {
      title: "Tariff",
      intro:
        "Import price = (market price + markup + levies + grid fee) × (1 + VAT). All of it without VAT, as on the bill.",
    },
    slots: {
      title: "Flexible devices",
      intro: "Up to eight devices such as a wallbox or a heat pump. Controllers name them by their number.",
    },
    telemetry: {
      title: "Readings from MQTT topics",
      intro:
        "Readings that other devices publish already. The last message and its number are shown below each entry.",
    },
  },
  battery: {
    none: "This plant has no battery; no charging is planned.",
    drop: "No battery",
  },
  tariff: {
    none: "No tariff: the plan uses market prices alone.",
    drop: "Market price only, no tariff",
    windows: "Time windows with another grid fee",
    window: "Time window",
    newWindow: "Another time window",
    presets: "Presets",
  },
  presets: {
    spot_vat: {
      label: "Market price with 20% VAT",
      hint: "Without markup, levies and grid fee; enter those from your bill afterwards.",
    },
    summer_low: {
      label: "Austrian summer low grid fee",
      hint: "Since 2026-04-01 the grid fee is 20% lower from April to September, 10:00 to 16:00, where the meter delivers quarter-hour values. Enter the grid fee first.",
    },
  },
  supplierHint: ({
    markupPct,
    markupCtKwh,
    asOf,
  }: {
    markupPct: number;
    markupCtKwh: number;
    asOf: string;
  }) =>
    `Markup of ${markupPct > 0 ? `${markupPct}% and ` : ""}${markupCtKwh} ct/kWh without VAT according to the price sheet of ${asOf}; compare it with yours. Grid fee and levies do not change.`,
  batteryRow: (number: number) => `Battery ${number}`,
  newBattery: "Another battery",
  array: (number: number) => `Array ${number}`,
  newArray: "Another array",
  slotParts: { vehicle: "Vehicle", store: "Hot-water tank", sg_ready: "SG Ready" },
  slot: (number: number) => `Device ${number}`,
  newSlot: "not assigned",
  entry: (number: number) => `Entry ${number}`,
  newEntry: "New entry",
  preview: {
    title: "Last message",
    none: "No message has arrived on this topic yet.",
    gives: "gives",
    at: "at",
    faults: {
      notJson: (path: string) => `The payload is not valid JSON, so there is nothing at ${path}.`,
      noNumber: (field: string, path: string, found: string) =>
        `${field} needs a number${path === "" ? "" : ` at ${path}`}; found ${found}.`,
      tooLarge: (field: string, path: string) =>
        `${field} is too large a number${path === "" ? "" : ` at ${path}`}.`,
      badPath: (path: string) =>
        `The path ${path} of the map cannot be read; write it like battery.soc or [0].value.`,
      nothingAt: (path: string) => `The payload has nothing at ${path}.`,
    },
  },
  waiting: "This topic is waiting for the administrator's approval. Until then this entry is ignored.",
  /** Why an entry is rejected, by the rule that it breaks. */
  findings: {
    missing: (allowed: string) => `Enter ${allowed}.`,
    invalid: (allowed: string) => `Enter ${allowed}.`,
    unknown: () => "Invalid entry.",
    soc_order: () => "Must be below the maximum state of charge.",
    location_incomplete: () => "Enter latitude and longitude together.",
    feed_in_price_missing: () => "A fixed feed-in price needs its amount.",
    weights_zero: () => "At least one weight must be above 0.",
    window_incomplete: () => "Enter start and end of the time window together.",
    energy_and_hours: () => "Enter either energy or hours, not both.",
    vehicle_kind: () => "A vehicle is only possible for a wallbox.",
    store_kind: () => "A tank is only possible for a boiler.",
    sg_ready_kind: () => "SG Ready is only possible for a heat pump.",
    target_soc_order: () => "Must not be below the minimum state of charge.",
    departure_missing: () => "Enter a time for at least one weekday.",
    charging_power_order: () => "Must not exceed the maximum charging power.",
    temperature_order: () => "Must be below the maximum temperature.",
    store_power_missing: () => "A tank needs the power of its heating element.",
    slot_reading: () => "Power, temperature and energy meter need a device; readings of the plant have none.",
    duplicate: () => "Already exists.",
    battery_and_batteries: () => "Enter either one battery or several.",
    battery_unknown: () => "No battery of this plant has this id.",
    inverter_unknown: () => "There is no inverter of this name yet: enter its power as well.",
    inverter_unused: () => "No array is on this inverter.",
    modes: (device: string, modes: string) =>
      `${device} cannot do this: ${modes}. Uncheck it, or let another device drive the battery.`,
    inverter_and_own_kw: () => "An array has its own inverter or shares one, not both.",
    allowed: {
      list: () => "a list of numbers",
      listOf: (count: number) => `a list of ${count} numbers`,
      each: () => "",
      oneOf: (values: string) => `one of ${values}`,
      text: (_least: number | undefined, most: number | undefined) =>
        most === undefined ? "text" : `text of at most ${most} characters`,
      boolean: "yes or no",
      orNothing: (allowed: string) => `${allowed}, or nothing`,
      formats: {
        "hour-minute": "a time of day as HH:MM, such as 07:00",
        "time-zone": "an IANA time zone such as Europe/Vienna",
        "month-range": 'two months from 1 to 12, such as "4-9"',
        "hour-range": 'an hour from 0 to 23 and one up to 24, such as "10-16"',
        "mqtt-filter": "an MQTT topic in which + matches one level and # at the end all levels below",
      },
    },
  },
};
