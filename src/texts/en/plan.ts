/** Figures of a reason, written with two decimals; ct/kWh. */
type Figures = Readonly<Record<string, string>>;

/** Why the battery does what it does in a step of the plan, by the code of the reason. */
export const englishReasons = {
  recover_min_soc: () => "Charges because the state of charge is below the minimum.",
  paid_to_charge: ({ importCtKwh }: Figures) =>
    `Charges from the grid: the price is negative (${importCtKwh} ct/kWh).`,
  cheap_import: ({ storedCtKwh, valueCtKwh }: Figures) =>
    `Charges from the grid: a stored kWh costs ${storedCtKwh} ct and is worth at least ${valueCtKwh} ct later.`,
  pv_surplus: ({ valueCtKwh, exportCtKwh }: Figures) =>
    `Stores PV surplus: a kWh is worth ${valueCtKwh} ct later, feed-in would earn ${exportCtKwh} ct.`,
  pv_later: ({ exportCtKwh, valueCtKwh }: Figures) =>
    `Does not store PV surplus now: feed-in earns ${exportCtKwh} ct, and the battery keeps room for later surplus or negative prices (a stored kWh is worth ${valueCtKwh} ct).`,
  dear_import: ({ importCtKwh, valueCtKwh }: Figures) =>
    `Supplies the household: import costs ${importCtKwh} ct/kWh now, a stored kWh is worth ${valueCtKwh} ct.`,
  export_pays: ({ exportCtKwh, valueCtKwh }: Figures) =>
    `Feeds into the grid: a kWh earns ${exportCtKwh} ct now and is worth ${valueCtKwh} ct stored.`,
  import_limit: () => "Discharges to keep the import within the limit of the grid connection.",
  import_limit_ahead: () =>
    "Charges in advance to keep a later import within the limit of the grid connection.",
  kept_for_later: ({ savesCtKwh, valueCtKwh }: Figures) =>
    `Keeps its energy: a stored kWh saves ${savesCtKwh} ct now and is worth ${valueCtKwh} ct later.`,
  empty: () => "The battery is empty; the household is supplied from the grid.",
  nothing_to_do: () => "Idle: there is no surplus and no demand, and charging does not pay off.",
};
