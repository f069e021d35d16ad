/** The pages of "My home" apart from the fields and sections of the settings. */
export const englishHome = {
  title: "My home",
  rows: { none: "No entry yet." },
  directions: ["north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"],
  values: { yes: "yes", no: "no" },
  summaries: {
    battery: (kwh: string, chargeKw: string, dischargeKw: string) =>
      chargeKw === dischargeKw
        ? `${kwh} kWh, ${chargeKw} kW`
        : `${kwh} kWh, charging ${chargeKw} kW, discharging ${dischargeKw} kW`,
  },
  technical: "Technical",
  car: "Car",
  /** What the lines of "My home" are called. */
  subjects: {
    place: "Place",
    battery: "Battery",
    pv: "Sun",
    load: "Consumption",
    grid: "Grid connection",
    tariff: "Tariff",
    slots: "Devices",
    telemetry: "Readings over MQTT",
  },
  /** What is set, said to the owner. */
  sentences: {
    place: (latitude: string, longitude: string) => `Your home is at ${latitude}° N, ${longitude}° E.`,
    placeNear: (town: string) => `Your home is near ${town}.`,
    noPlace: "Where is your home? Without it weather and sun are unknown.",
    battery: (kwh: string, kw: string) => `Your battery has ${kwh} kWh and charges with up to ${kw} kW.`,
    batteries: (count: number, kwh: string, kw: string) =>
      `Your ${count} batteries have ${kwh} kWh together and charge with up to ${kw} kW.`,
    noBattery: "There is no battery yet.",
    pv: (peakKw: string, directions: string) => `Your PV system has ${peakKw} kWp (${directions}).`,
    noPv: "There is no PV system yet.",
    load: (kwh: string) => `Your household needs about ${kwh} kWh a year.`,
    noLimits: "Your grid connection has no limits.",
    limits: (limits: string) => `Your grid connection allows ${limits}.`,
    importLimit: (kw: string) => `import up to ${kw} kW`,
    exportLimit: (kw: string) => `feed-in up to ${kw} kW`,
    tariff: (energy: string, fees: string | undefined, nowCt: string | undefined) =>
      `You pay ${energy}${fees === undefined ? "" : `, and ${fees}`}${nowCt === undefined ? "" : `; now ${nowCt} ct`}.`,
    noTariff: "There is no tariff yet: the plan uses the market price alone.",
    devices: (names: string) => `Can wait for cheap hours: ${names}.`,
    noDevices: "No device can wait for cheap hours yet.",
    car: (kwh: string, when: string, pct: string) => `The car (${kwh} kWh) is to be at ${pct}% ${when}.`,
    wallbox: (kwh: string | undefined, until: string | undefined) =>
      kwh === undefined || until === undefined
        ? "The wallbox has no car yet."
        : `The wallbox charges ${kwh} kWh until ${until}.`,
    noCar: "There is no car yet.",
    topics: (count: number) => (count === 1 ? "One topic is read." : `${count} topics are read.`),
    noTopics: "No topics are read.",
    links: "Addresses for controllers without MQTT.",
    start: "Go through the first steps again.",
  },
  changes: {
    added: (what: string, summary: string) => `${what} added (${summary})`,
    removed: (what: string, summary: string) => `${what} removed (${summary})`,
  },
  saved: {
    title: "Saved",
    undone: "Undone",
    unchanged: "Nothing was changed: the values are the same as before.",
    last: "Last change",
    recalculated: "Plan recalculated.",
    cost: (before: string, after: string) => `Expected cost of the next 7 days: ${before} → ${after} €.`,
    costAfter: (after: string) => `Expected cost of the next 7 days: ${after} €.`,
    costSame: (after: string) => `Expected cost of the next 7 days: still ${after} €.`,
    costShort: (after: string) => `7 days ${after} €`,
    undoShort: "Undo",
    noPlan: "There is no plan yet: it needs a battery, its state of charge and prices.",
    computing: "The plan is being recalculated.",
    reload: "Show the result",
    undo: "Undo",
    undoHint: (hours: number) => `Possible for ${hours} hours, until these settings are changed again.`,
  },
  refused: {
    tooManyRows: (most: number) => `Nothing was saved: at most ${most} rows can be sent at once.`,
    expired:
      "This change can no longer be undone: it is too old, or the same settings have been changed since.",
    changed:
      "This change cannot be undone: the same settings have been changed since. Nothing was changed; enter the former values by hand.",
    invalid:
      "This change cannot be undone: the former values do not fit the other settings any more. Nothing was changed.",
    outdated:
      "Not saved: these settings have been changed in the meantime, for example in another window. The page shows the current values and what you typed. Please check and save again.",
    stale: "Nothing was removed: the settings have been changed in the meantime. Please check and try again.",
  },
  remove: {
    title: (what: string) => `Remove ${what}?`,
    resetTitle: (what: string) => `${what}: back to the configuration file?`,
    resetText: "The values that were set here are replaced by those of the configuration file.",
    undo: (hours: number) => `You can undo this for ${hours} hours.`,
    cancel: "Cancel",
  },
  validFrom: {
    label: "Valid from",
    hint: "Changed prices apply from this day on; bills and savings of the time before stay as they are. With a day in the past, bills and savings since then are calculated again.",
    invalid: "Enter the first day on which the prices apply, such as 2026-03-01.",
  },
  prices: {
    since: (date: string | undefined) =>
      date === undefined
        ? "The prices in force, without VAT."
        : `The prices in force since ${date}, without VAT.`,
    parts: "Parts of the price, without VAT",
    changed: (date: string, line: string) => `From ${date}: ${line}`,
    energy: "Price of energy",
    energyWindow: (number: number) => `Price of energy in time window ${number}`,
    energyMonth: (month: string) => `Price of energy in ${month}`,
    energyBlock: (number: number) => `Price of energy in block ${number}`,
    blockEnd: (block: string) => `${block}: up to`,
    markup: "Markup on the market price",
    markupPct: "Markup in percent of the market price",
    baseFee: "Base fee of the supplier per month",
    grid: "Grid usage fee",
    gridWindow: (when: string) => (when === "" ? "Grid usage fee" : `Grid usage fee (${when})`),
    window: {
      months: (when: string) => `Months of ${when}`,
      times: (when: string) => `Times of ${when}`,
    },
    loss: "Grid loss fee",
    flat: "Flat grid fee per year",
    metering: "Metering fee per month",
    eurYear: "€/year",
    levy: (name: string, from: string | undefined, to: string | undefined) =>
      from === undefined && to === undefined
        ? name
        : `${name} (${[...(from === undefined ? [] : [`from ${from}`]), ...(to === undefined ? [] : [`until ${to}`])].join(" ")})`,
    vat: "VAT",
    feedIn: "Fixed price of feed-in",
    feedInMonth: (month: string) => `Price of feed-in in ${month}`,
    feedInBlock: (number: number) => `Price of feed-in in block ${number}`,
    community: "Price of the energy community",
    communityFeedIn: "Paid by the energy community for feed-in",
    communityDiscount: "Discount on the grid usage fee for the community's energy",
    communityShare: "Expected share of the community in the consumption",
    communityVat: "VAT on the community's invoice",
    deduct: "Deduction from the market price of feed-in",
    deductPct: "Deduction in percent of the market price",
    needsNumber: "Enter a number, such as 12.5.",
  },
  unsaved: "Not saved yet",
};
