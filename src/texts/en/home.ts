/** The pages of "My home" apart from the fields and sections of the settings. */
export const englishHome = {
  title: "My home",
  lead: (name: string) => `The settings of ${name}. The plan is recalculated when you save.`,
  more: "More settings",
  rows: { none: "No entry yet." },
  batteries: (count: number) => (count === 1 ? "1 battery" : `${count} batteries`),
  directions: ["north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"],
  values: { yes: "yes", no: "no" },
  summaries: {
    noPlace: "No location: weather and PV yield are unknown",
    battery: (kwh: string, chargeKw: string, dischargeKw: string) =>
      chargeKw === dischargeKw
        ? `${kwh} kWh, ${chargeKw} kW`
        : `${kwh} kWh, charging ${chargeKw} kW, discharging ${dischargeKw} kW`,
    noBattery: "No battery",
    pv: (count: number, peakKw: string) =>
      count === 1 ? `1 array, ${peakKw} kWp` : `${count} arrays, ${peakKw} kWp`,
    noPv: "No PV",
    load: (kwh: string) => `${kwh} kWh per day`,
    grid: (importKw: string, exportKw: string) => {
      const limits = [
        ...(importKw === "" ? [] : [`import up to ${importKw} kW`]),
        ...(exportKw === "" ? [] : [`feed-in up to ${exportKw} kW`]),
      ];
      return limits.length === 0
        ? "No limits"
        : limits.join(", ").replace(/^./, (first) => first.toUpperCase());
    },
    noTariff: "Market price only",
    tariffPeriods: "Prices with dates",
    spot: "Market price",
    markupPct: (pct: string) => `${pct}%`,
    markup: (ct: string) => `${ct} ct markup`,
    levies: (ct: string) => `${ct} ct levies`,
    gridFee: (ct: string, hasWindows: boolean) =>
      `${ct === "" ? "" : `${ct} ct `}grid fee${hasWindows ? " by time" : ""}`,
    vat: (pct: string) => `${pct}% VAT`,
    noSlots: "No devices",
    topics: (count: number) => (count === 1 ? "1 topic" : `${count} topics`),
    noTopics: "No topics",
    feeWindow: (months: string, hours: string, ct: string) =>
      `Months ${months}, hours ${hours}: ${ct} ct/kWh`,
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
    later: (date: string) => `Other prices follow on ${date}; they stay as they are.`,
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
    loss: "Grid loss fee",
    flat: "Flat grid fee per year",
    metering: "Metering fee per month",
    eurYear: "€/year",
    vat: "VAT",
    feedInType: "Feed-in is paid by",
    feedInSpot: "market price",
    feedInFixed: "fixed price",
    feedInOther: "as before (by month or formula)",
    feedIn: "Fixed price of feed-in",
    feedInMonth: (month: string) => `Price of feed-in in ${month}`,
    feedInBlock: (number: number) => `Price of feed-in in block ${number}`,
    community: "Price of the energy community",
    communityFeedIn: "Paid by the energy community for feed-in",
    communityDiscount: "Discount on the grid usage fee for the community's energy",
    communityShare: "Expected share of the community in the consumption",
    communityVat: "VAT on the community's invoice",
    feedInHint: "Only with a fixed price.",
    deduct: "Deduction from the market price of feed-in",
    deductPct: "Deduction in percent of the market price",
    needsNumber: "Enter a number, such as 12.5.",
  },
  unsaved: "Not saved yet",
};
