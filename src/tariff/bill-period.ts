import { localDate, localTime } from "../core/time/zone.js";
import type { Bill, BilledStep, BillLine, BillLines, BillPart } from "./bill-lines.js";
import { energyPricing, feedInPricing, type WindowPricing, windowPricing } from "./period-prices.js";
import { windowMatcher } from "./price-windows.js";
import { type EnergyPrice, type Levy, leviesAt, type PercentageBase, type TariffPeriod } from "./tariff.js";

/** The part of a month in which one period of the tariff holds. */
export interface PeriodOfMonth {
  period: TariffPeriod;
  zone: string;
  month: string;
  steps: readonly BilledStep[];
  /** All of the month: its highest import does not depend on a change of the tariff. */
  monthSteps: readonly BilledStep[];
  /** Local days of the month in which the period holds. */
  dates: readonly string[];
  daysOfMonth: number;
  lines: BillLines;
  kwh: Bill["kwh"];
  /** Amounts of the calendar year before the month. */
  earlier?: { importKwh: number; exportKwh: number } | undefined;
}

/** Adds the lines of a period to the bill. */
export function addPeriod(of: PeriodOfMonth): void {
  const { period, zone, steps, dates, daysOfMonth, lines, kwh } = of;
  const { grid_usage: usage, community, energy_base_fee: baseFee } = period;
  const vatPct = period.vat_pct ?? 0;
  const months = dates.length / daysOfMonth;
  const energy = energyPricing(period, "tariff");
  const grid = windowPricing(usage?.windows, usage?.ct_kwh ?? 0, "tariff.grid_usage.windows");
  const sums = new Map<string, { kwh: number; ct: number }>();
  const count = (name: string, amountKwh: number, ctKwh: number) => {
    const sum = sums.get(name) ?? { kwh: 0, ct: 0 };
    sum.kwh += amountKwh;
    sum.ct += amountKwh * ctKwh;
    sums.set(name, sum);
  };
  const byWindow = new Map<number, { kwh: number; ctKwh: number }>();
  for (const step of steps) {
    const local = localTime(step.start, zone);
    const coveredKwh = community ? Math.min(step.importKwh, step.communityKwh ?? 0) : 0;
    const restKwh = step.importKwh - coveredKwh;
    kwh.import += step.importKwh;
    kwh.export += step.exportKwh ?? 0;
    kwh.community += coveredKwh;
    count("energy", restKwh, energy(step.spotCtKwh, local));
    const { index, ctKwh } = grid.at(local);
    const window = byWindow.get(index) ?? { kwh: 0, ctKwh };
    window.kwh += restKwh;
    byWindow.set(index, window);
    if (community) count("community", coveredKwh, community.price_ct_kwh);
    count("import", step.importKwh, 0);
  }
  const restKwh = sums.get("energy")?.kwh ?? 0;
  const communityKwh = sums.get("community")?.kwh ?? 0;
  const bases: Record<PercentageBase, number> = {
    energy: 0,
    base_fee: 0,
    grid: 0,
    loss: 0,
    flat: 0,
    metering: 0,
  };
  const add = (line: Omit<BillLine, "vatPct">, base?: PercentageBase) => {
    const netEur = lines.add({ ...line, vatPct });
    if (base !== undefined) bases[base] += netEur;
  };
  const perKwh = (part: BillPart, name: string, amountKwh: number, ctKwh: number) => ({
    part,
    name,
    quantity: amountKwh,
    unit: "kWh" as const,
    priceCt: ctKwh,
    netEur: (amountKwh * ctKwh) / 100,
  });
  const perMonth = (part: BillPart, name: string, eurMonth: number) => ({
    part,
    name,
    quantity: months,
    unit: "month" as const,
    priceCt: eurMonth * 100,
    netEur: months * eurMonth,
  });
  const energyCt =
    blocksCt(period.energy, restKwh, { months, earlierKwh: of.earlier?.importKwh ?? 0 }) ??
    sums.get("energy")?.ct ??
    0;
  add(perKwh("energy", "energy", restKwh, restKwh > 0 ? energyCt / restKwh : 0), "energy");
  if (baseFee) add(perMonth("base_fee", "base_fee", baseFee.eur_month), "base_fee");
  addGrid({ grid, byWindow, kwh, perKwh, add });
  if (communityKwh > 0) {
    const ctKwh = grid.baseCtKwh * (1 - (community?.grid_usage_discount_pct ?? 0) / 100);
    add(perKwh("grid_usage", "community", communityKwh, ctKwh), "grid");
  }
  if (period.grid_loss) {
    add(perKwh("grid_loss", "grid_loss", restKwh + communityKwh, period.grid_loss.ct_kwh), "loss");
  }
  if (usage?.flat_eur_year) add(perMonth("grid_flat", "grid_flat", usage.flat_eur_year / 12), "flat");
  if (usage?.metering_eur_month) add(perMonth("metering", "metering", usage.metering_eur_month), "metering");
  addGridPower(of, vatPct);
  const waived = new Set(community?.levies_waived ?? []);
  const levied = (levy: Levy): number => {
    const inForce = steps.filter(({ start }) => leviesAt([levy], localDate(start, zone)).length > 0);
    return inForce.reduce((sum, step) => {
      const covered = community ? Math.min(step.importKwh, step.communityKwh ?? 0) : 0;
      return sum + step.importKwh - (waived.has(levy.name) ? covered : 0);
    }, 0);
  };
  for (const [part, levies] of [
    ["levy", period.levies],
    ["municipal_levy", period.municipal_levy],
  ] as const) {
    for (const levy of levies ?? []) {
      const share = dates.filter((date) => leviesAt([levy], date).length > 0).length / dates.length;
      if (share === 0) continue;
      if (levy.ct_kwh !== undefined) add(perKwh(part, levy.name, levied(levy), levy.ct_kwh));
      if (levy.eur_year !== undefined) {
        const line = perMonth(part, levy.name, levy.eur_year / 12);
        add({ ...line, quantity: line.quantity * share, netEur: line.netEur * share });
      }
      if (levy.pct !== undefined) {
        const base = (levy.pct_of ?? []).reduce((sum, name) => sum + bases[name], 0) * share;
        add({
          part,
          name: levy.name,
          quantity: levy.pct,
          unit: "%",
          priceCt: null,
          netEur: (base * levy.pct) / 100,
        });
      }
    }
  }
  if (community && communityKwh > 0) {
    const line = perKwh("community", "community", communityKwh, community.price_ct_kwh);
    lines.add({ ...line, vatPct: community.vat_pct ?? 0 });
  }
  addFeedIn(of, months);
}

function addGrid({
  grid,
  byWindow,
  kwh,
  perKwh,
  add,
}: {
  grid: WindowPricing;
  byWindow: ReadonlyMap<number, { kwh: number; ctKwh: number }>;
  kwh: Bill["kwh"];
  perKwh: (part: BillPart, name: string, amountKwh: number, ctKwh: number) => Omit<BillLine, "vatPct">;
  add: (line: Omit<BillLine, "vatPct">, base: PercentageBase) => void;
}): void {
  for (const [index, window] of [...byWindow].sort(([a], [b]) => a - b)) {
    const name = grid.names[index] ?? "normal";
    kwh.byWindow[name] = (kwh.byWindow[name] ?? 0) + window.kwh;
    add(perKwh("grid_usage", name, window.kwh, window.ctKwh), "grid");
  }
}

/** The month's highest mean import, at least the least power, in steps. */
function addGridPower(
  { period, zone, monthSteps, dates, daysOfMonth, lines }: PeriodOfMonth,
  vatPct: number,
): void {
  const power = period.grid_power;
  if (!power || power.eur_kw_year === 0) return;
  const counts = windowMatcher(power.window ?? {}, "tariff.grid_power.window");
  const peakKw = monthSteps
    .filter(({ start }) => counts(localTime(start, zone)))
    .reduce((peak, { importKwh }) => Math.max(peak, importKwh * 4), 0);
  const chargedKw = Math.max(power.min_kw ?? 0, Math.round(peakKw * 100) / 100);
  const tiers = [{ over_kw: 0, eur_kw_year: power.eur_kw_year }, ...(power.steps ?? [])];
  tiers.forEach(({ over_kw, eur_kw_year }, index) => {
    const kw = Math.max(0, Math.min(chargedKw, tiers[index + 1]?.over_kw ?? Infinity) - over_kw);
    if (kw === 0) return;
    const eurKw = (eur_kw_year / 12) * (dates.length / daysOfMonth);
    const name = over_kw === 0 ? "grid_power" : `grid_power over ${over_kw} kW`;
    lines.add({
      part: "grid_power",
      name,
      quantity: kw,
      unit: "kW",
      priceCt: eurKw * 100,
      netEur: kw * eurKw,
      vatPct,
    });
  });
}

function addFeedIn({ period, zone, steps, lines, earlier }: PeriodOfMonth, months: number): void {
  const price = feedInPricing(period.feed_in, "tariff");
  const communityPrice = period.community?.feed_in_ct_kwh ?? undefined;
  const own = { kwh: 0, ct: 0 };
  let takenKwh = 0;
  for (const { start, exportKwh = 0, communityExportKwh = 0, spotCtKwh } of steps) {
    const taken = communityPrice === undefined ? 0 : Math.min(exportKwh, communityExportKwh);
    takenKwh += taken;
    own.kwh += exportKwh - taken;
    own.ct += (exportKwh - taken) * price(spotCtKwh, localTime(start, zone));
  }
  const add = (name: string, quantity: number, ct: number) => {
    if (quantity === 0) return;
    lines.add({
      part: "feed_in",
      name,
      quantity,
      unit: "kWh",
      priceCt: ct / quantity,
      netEur: ct / 100,
      vatPct: 0,
    });
  };
  const blocks = blocksCt(period.feed_in, own.kwh, { months, earlierKwh: earlier?.exportKwh ?? 0 });
  add("feed_in", own.kwh, blocks ?? own.ct);
  add("community", takenKwh, takenKwh * (communityPrice ?? 0));
}

/**
 * What an amount of `months` months costs in blocks, ct; undefined without blocks. Blocks per year go on from what the year had
 * before.
 */
function blocksCt(
  price: Pick<EnergyPrice, "blocks" | "blocks_per"> | null | undefined,
  amountKwh: number,
  { months, earlierKwh }: { months: number; earlierKwh: number },
): number | undefined {
  const { blocks, blocks_per: per = "month" } = price ?? {};
  if (blocks === undefined || blocks.length === 0) return undefined;
  const fromKwh = per === "year" ? earlierKwh : 0;
  let ct = 0;
  let lower = 0;
  for (const { up_to_kwh, ct_kwh } of blocks) {
    const upper = (up_to_kwh ?? Infinity) * (per === "year" ? 1 : months);
    ct += Math.max(0, Math.min(fromKwh + amountKwh, upper) - Math.max(fromKwh, lower)) * ct_kwh;
    lower = upper;
  }
  return ct;
}
