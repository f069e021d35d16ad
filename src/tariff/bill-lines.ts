/** What flowed in a quarter-hour (or an hour), kWh, and the market price that settles it, ct/kWh. */
export interface BilledStep {
  start: Date;
  /** All that the meter counted, what the community covers included. */
  importKwh: number;
  exportKwh?: number;
  /** Part of `importKwh` that the community covered. */
  communityKwh?: number;
  /** Part of `exportKwh` that the community took. */
  communityExportKwh?: number;
  spotCtKwh: number;
}

export const BILL_PARTS = [
  "energy",
  "base_fee",
  "grid_usage",
  "grid_loss",
  "grid_flat",
  "metering",
  "grid_power",
  "levy",
  "municipal_levy",
  "community",
  "feed_in",
] as const;
export type BillPart = (typeof BILL_PARTS)[number];

export interface BillLine {
  part: BillPart;
  /** Name of the levy or of the window. */
  name: string;
  quantity: number;
  unit: "kWh" | "month" | "kW" | "%";
  /** Price of a unit, ct; of percentages none. */
  priceCt: number | null;
  netEur: number;
  vatPct: number;
}

/** The bill of a month. Amounts in EUR, not rounded but where `roundLines` asks for it. */
export interface Bill {
  month: string;
  kwh: { import: number; export: number; community: number; byWindow: Record<string, number> };
  lines: BillLine[];
  /** Supplier and grid together. */
  netEur: number;
  vatEur: number;
  grossEur: number;
  /** The community's own invoice, VAT included. */
  communityEur: number;
  /** Credit for what was fed in. */
  feedInEur: number;
  /** What is paid in all: gross and community less feed-in. */
  totalEur: number;
  /** Prices that were not known for this month and taken from the nearest month that is: parts of the tariff. */
  estimated: ("energy" | "feed_in")[];
}

/** Collects the lines of a bill; each is rounded where the bill is to be rounded so. */
export class BillLines {
  readonly all: BillLine[] = [];
  readonly #rounds: boolean;

  constructor(rounds: boolean) {
    this.#rounds = rounds;
  }

  add(line: BillLine): number {
    const netEur = this.#rounds ? roundCent(line.netEur) : line.netEur;
    this.all.push({ ...line, netEur });
    return netEur;
  }
}

/** Half up to the cent; what is off by the representation of decimals counts as half. */
export function roundCent(eur: number): number {
  return (Math.sign(eur) * Math.floor(Math.abs(eur) * 100 + 0.5 + 1e-9)) / 100;
}
