/** The page "Compare". */
export const englishCompare = {
  title: "Compare tariffs",
  intro:
    "What a year with your load and PV costs under several tariffs. All amounts are in € with VAT, fixed fees and feed-in.",
  area: "Grid area",
  areaHint: "The built-in tariffs contain the grid fees of this area.",
  areaChoose: "Choose a grid area to see the built-in tariffs.",
  showTariffs: "Show tariffs",
  tariffs: "Tariffs",
  own: "Your tariff",
  asOf: (date: string) => `prices of ${date}`,
  year: "Period",
  newest: "Last 365 days",
  start: "Compare",
  note: "A year takes up to a minute per tariff, longer on a slow or busy machine. The gateway computes it in the background with low priority. The result is kept in memory until the next comparison or a restart of the gateway.",
  noneChosen: "No tariff is chosen. Tick at least one tariff.",
  wrongYear: "This year cannot be compared. Choose a period from the list.",
  noTariffs: "No tariff is known. Enter a tariff in the settings, or choose a grid area.",
  busy: "Another comparison is in progress. Try again when it has ended.",
  running: (pct: string) => `In progress: ${pct} %`,
  runningNote: "This page reloads every 3 seconds. You can leave it: the comparison continues.",
  faults: {
    no_prices:
      "No prices are stored. Wait until a price source has delivered, or import prices (hourgate import prices FILE).",
    no_load:
      "Less than 14 days of load are known. Import a file of your grid operator on the page Meter data, or send telemetry.",
    no_overlap:
      "Prices and load overlap for less than a day in this period. Choose another period, or import the missing data.",
    failed: "The comparison failed. The log of the gateway has the reason; start it again.",
  },
  noBatteryNote:
    "No battery is entered for this site: only the costs without a battery are known. Enter one in the settings for the others.",
  result: "Result",
  period: (from: string, to: string) => `${from} to ${to}`,
  load: (kwh: string) => `Load: ${kwh} kWh.`,
  loadMissing: (hours: string) => `Without a measurement: ${hours} h, filled with the usual load.`,
  pv: {
    measured: "PV: measured.",
    modelled: "PV: computed from the arrays and recorded weather.",
    none: "PV: none known.",
  },
  metered: {
    energies: (importKwh: string, exportKwh: string) =>
      `Metered: ${importKwh} kWh import, ${exportKwh} kWh feed-in.`,
    missing: (hours: string) => `Without a value of the meter: ${hours} h, which are in no amount.`,
    why: (readings: readonly string[]) =>
      readings.length === 0
        ? "The amounts are those of the import and feed-in that the meter counted."
        : `The amounts are those of the import and feed-in that the meter counted. What hourgate would save under each tariff can be computed when these readings are known for 14 days: ${readings.join(", ")}.`,
    readings: { pv: "power of the PV", battery: "power or state of charge of the battery" },
    connect: "Connect shows where readings come from",
  },
  cheapest: "Cheapest",
  tariff: "Tariff",
  columns: {
    uncontrolled: "Without control",
    hourgate: "With hourgate",
    perfect: "Perfect foresight",
    noBattery: "Without battery",
    metered: "As metered",
  },
  caption: "Costs of the period in €",
  chart: "Costs of the period by tariff in €. The table has the same values.",
  notes:
    "Without control: the battery only stores surplus PV. Perfect foresight: all prices and loads known in advance, the lowest possible cost. Energy stored at the end is deducted at its worth.",
};
