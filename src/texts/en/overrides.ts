/** What a user changes by hand: the battery or a device until a time, and what that costs. */
export const englishOverrides = {
  batteryOverride: {
    title: "Battery",
    auto: "automatic, by the plan",
    charging: (pct: string, until: string) => `charging to ${pct} %, no later than ${until}`,
    holding: (until: string) => `not discharged until ${until}`,
  },
  overrideCost: {
    title: "Change by hand",
    device: {
      run: (label: string, until: string | undefined): string =>
        until === undefined ? `${label} is switched on now.` : `${label} is switched on now, until ${until}.`,
      skip: (label: string, until: string | undefined): string =>
        until === undefined ? `${label} stays off.` : `${label} stays off until ${until}.`,
      full: (label: string, until: string | undefined): string =>
        until === undefined ? `${label} is done.` : `${label} gets all of its energy by ${until}.`,
      auto: (label: string, _until: string | undefined): string => `${label} follows the plan again.`,
      surplus: (label: string, until: string | undefined): string =>
        until === undefined
          ? `${label} charges from the sun only.`
          : `${label} charges from the sun only until ${until}.`,
    },
    target: (label: string, pct: string, until: string): string =>
      `${label} charges to ${pct} % by ${until}.`,
    guest: (label: string, kwh: string, until: string): string =>
      `${label}: a guest gets ${kwh} kWh by ${until}.`,
    costs: (kwh: string, eur: string) => `${kwh} kWh for ${eur} €.`,
    atOnce: (eur: string) => `Now it would be ${eur} €.`,
    noSun: "No sun is expected by then.",
    upTo: "up to",
    energy: "Energy",
    until: "until",
    showCost: "Show cost",
    charge: (pct: string, until: string | undefined): string =>
      `The battery charges from the grid now, up to ${pct} %${until === undefined ? "" : `, no later than ${until}`}.`,
    hold: (until: string | undefined): string =>
      until === undefined
        ? "The battery is not discharged."
        : `The battery is not discharged until ${until}.`,
    compared: (kwh: string, eur: string, planEur: string) =>
      `${kwh} kWh for ${eur} €; the plan would pay ${planEur} € for them.`,
    partly: (kwh: string, eur: string, planKwh: string, planEur: string) =>
      `${kwh} kWh for ${eur} €; the plan contains ${planKwh} kWh of them, for ${planEur} €.`,
    notPlanned: (kwh: string, eur: string) => `${kwh} kWh for ${eur} €, which the plan does not contain.`,
    skipped: (kwh: string, eur: string) => `The plan had ${kwh} kWh for ${eur} € in this time.`,
    nothingPlanned: "Nothing was planned in this time: it costs nothing.",
    more: (eur: string) => `This costs about ${eur} € more than the plan over the next 7 days.`,
    less: (eur: string) => `This saves about ${eur} € compared with the plan over the next 7 days.`,
    noMore: "This costs no more than the plan.",
    unknown: "What it costs is not known: the power of the device or the plan is missing.",
    confirm: "Confirm",
    cancel: "Cancel",
  },
  overrideRefused: {
    until: "Please enter a time within the next 7 days.",
    target_soc_pct:
      "Please enter a state of charge above the current one and at most the maximum in the settings.",
    min_soc_pct: "The state of charge for now must be at most the target, and that of the car must be known.",
    energy_kwh: "Please enter an energy above 0 and at most 1000 kWh.",
    override: "The settings of the plant do not allow this.",
    slot_id: "This plant has no battery in its settings.",
  },
};
