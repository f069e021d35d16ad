import type { Language } from "../../core/language.js";
import { isSame, ownPeriods } from "../../tariff/apply-presets.js";
import { areaOf, tariffOfPresets, tariffPresets } from "../../tariff/presets.js";
import type { Tariff, TariffPeriod } from "../../tariff/tariff.js";
import { textsOf } from "../../texts/index.js";

/** A number with the decimal sign of the language. */
export function decimalText(value: number, language: Language): string {
  return String(value).replace(".", textsOf(language).format.decimal);
}

/** The fixed price of the energy, or of the feed-in, with its VAT, ct/kWh; undefined for any other price. */
export function fixedCtKwh(price: TariffPeriod["energy"] | TariffPeriod["feed_in"], vatPct: number) {
  if (price?.type !== "fixed" || typeof price.ct_kwh !== "number") return undefined;
  return Number((price.ct_kwh * (1 + vatPct / 100)).toFixed(4));
}

/** How energy is paid in a period: `market price + 3% + 1.5 ct`. */
export function energyWords({ energy, vat_pct: vatPct = 0 }: TariffPeriod, language: Language): string {
  const { ems } = textsOf(language);
  const fixed = fixedCtKwh(energy, vatPct);
  if (fixed !== undefined) return ems.tariff.fixed(decimalText(fixed, language));
  if ((energy?.type ?? "spot") !== "spot") return ems.ownValues;
  const { markup_pct: pct = 0, markup_ct_kwh: markup = 0 } = energy ?? {};
  return [
    ems.tariff.spot,
    ...(pct === 0 ? [] : [`${decimalText(pct, language)} %`]),
    ...(markup === 0 ? [] : [`${decimalText(markup, language)} ct`]),
  ].join(" + ");
}

/** How feed-in is paid in a period. */
export function feedInWords({ feed_in: feedIn }: TariffPeriod, language: Language): string {
  const { ems } = textsOf(language);
  const fixed = fixedCtKwh(feedIn, 0);
  if (fixed !== undefined) return ems.tariff.fixed(decimalText(fixed, language));
  return isMarketPrice(feedIn) ? ems.tariff.spot : ems.ownValues;
}

/** Whether feed-in is paid at the market price as it is. */
export function isMarketPrice(feedIn: TariffPeriod["feed_in"]): boolean {
  if (feedIn === undefined || feedIn === null) return true;
  const { type, deduct_ct_kwh, deduct_pct, ...others } = feedIn;
  const isPlain = !deduct_ct_kwh && !deduct_pct && Object.values(others).every((value) => value == null);
  return (type ?? "spot") === "spot" && isPlain;
}

/** The grid area whose fees a period has, and whether with the low price of summer; undefined: none, or others. */
export function gridAreaOf(
  period: TariffPeriod,
): { id: string; name: string; summerLow: boolean } | undefined {
  const area = tariffPresets().areas.find(({ id }) => id === areaOf([period]));
  if (area === undefined) return undefined;
  const feesOf = ({ grid_usage, grid_loss }: TariffPeriod) => [grid_usage?.windows, grid_loss];
  const summerLow = [true, false].find((low) =>
    isSame(feesOf(period), feesOf(tariffOfPresets({ area: area.id, summerLow: low })[0]!)),
  );
  return summerLow === undefined ? undefined : { id: area.id, name: area.name, summerLow };
}

/** Whether a period has any grid fees or levies. */
export function hasGridFees({ grid_usage, grid_loss, levies }: TariffPeriod): boolean {
  return Boolean(grid_usage?.ct_kwh || grid_usage?.windows?.length || grid_loss || levies?.length);
}

/** The grid fees of a period by the name of their area; undefined: none. */
export function feesWords(period: TariffPeriod, language: Language): string | undefined {
  const { grid, ownGrid } = textsOf(language).ems.tariff;
  const area = gridAreaOf(period);
  if (area !== undefined) return grid(area.name);
  return hasGridFees(period) ? ownGrid : undefined;
}

/** What is paid in the last period of a tariff. */
export function tariffWords(tariff: Tariff, language: Language): string {
  const period = ownPeriods(tariff).at(-1) ?? {};
  return [energyWords(period, language), feesWords(period, language)].filter(Boolean).join(" + ");
}
