import { AUSTRIAN_VAT_PCT } from "../../config/austria.js";
import { tariffOfPresets, tariffPresets } from "../../tariff/presets.js";
import type { EnergyPrice, FeedInPrice, TariffPeriod } from "../../tariff/tariff.js";
import { withParts } from "./price-fields.js";

/** Choices beside the suppliers' presets: the market price with a markup of one's own, and a fixed price. */
export const OTHER_SPOT = "spot";
export const FIXED = "fixed";
/** What is in force stays. */
export const CURRENT = "current";

/** What was chosen of a tariff. */
export interface TariffChoice {
  /** A supplier's preset, `spot` or `fixed`. */
  supplier: string;
  /** With `spot`: markup on the market price, ct/kWh without VAT. */
  markupCtKwh?: unknown;
  /** With `fixed`: price of the energy, ct/kWh with VAT; the whole price without a grid area. */
  fixedCtKwh?: unknown;
  /** A grid area's preset; empty: no grid fees. */
  area: string;
  /** The preset of a levy of the municipality; empty: none; left out: that of the area. */
  municipality?: string | undefined;
  /** The meter's quarter-hour values are enabled. */
  summerLow: boolean;
  /** A feed-in preset, `fixed`, or empty for the market price. */
  feedIn: string;
  feedInCtKwh?: unknown;
}

/**
 * The tariff of a choice, as in the configuration. Amounts that are no numbers are left as they are, for its check. With
 * `heldVatPct` that VAT is in the fixed price. Throws PresetError for an unknown preset.
 */
export function tariffOfChoice(choice: TariffChoice, heldVatPct?: number): TariffPeriod[] {
  const { areas, municipalities } = tariffPresets();
  const preset = choice.supplier === OTHER_SPOT || choice.supplier === FIXED ? undefined : choice.supplier;
  const [period] = tariffOfPresets({
    area: choice.area === "" ? areas[0]!.id : choice.area,
    supplier: preset,
    // The levies of cities with a grid area of their own.
    municipality:
      (choice.municipality ?? (municipalities.some(({ id }) => id === choice.area) ? choice.area : "")) ||
      undefined,
    feedIn: choice.feedIn === "" || choice.feedIn === FIXED ? undefined : choice.feedIn,
    summerLow: choice.summerLow,
  });
  const whole = period!;
  const isAllIn = choice.supplier === FIXED && choice.area === "";
  const vatPct = heldVatPct ?? (isAllIn ? 0 : (whole.vat_pct ?? AUSTRIAN_VAT_PCT));
  const feedIn =
    choice.feedIn === FIXED ? ({ type: "fixed", ct_kwh: choice.feedInCtKwh } as FeedInPrice) : whole.feed_in;
  const supply = {
    energy: energyOf(choice, whole.energy, vatPct),
    ...(preset !== undefined && whole.energy_base_fee && { energy_base_fee: whole.energy_base_fee }),
    vat_pct: vatPct,
    ...(feedIn !== undefined && { feed_in: feedIn }),
  };
  if (choice.area !== "") return [{ ...whole, ...supply }];
  return [{ ...supply, ...(whole.municipal_levy && { municipal_levy: whole.municipal_levy }) }];
}

/** What an area sets in a period. */
const AREA_PARTS = ["grid_usage", "grid_loss", "levies", "municipal_levy", "vat_pct", "known_until"] as const;

/**
 * A period with what was chosen in place of its own parts; where the choice is `current` they stay. Undefined: the VAT of the
 * area does not fit to the price that stays, which is known with its own VAT only.
 */
export function periodOfChoice(period: TariffPeriod, choice: TariffChoice): TariffPeriod | undefined {
  const { supplier, area, feedIn, municipality } = choice;
  const heldVatPct = period.vat_pct ?? 0;
  const [made] = tariffOfChoice(
    {
      ...choice,
      supplier: supplier === CURRENT ? OTHER_SPOT : supplier,
      area: area === CURRENT ? "" : area,
      feedIn: feedIn === CURRENT ? "" : feedIn,
    },
    area === CURRENT ? heldVatPct : undefined,
  );
  if (supplier === CURRENT && made!.vat_pct !== heldVatPct) return undefined;
  const metering = period.grid_usage?.metering_eur_month;
  const chosen = [
    ...(supplier === CURRENT ? [] : (["energy", "energy_base_fee"] as const)),
    ...(area === CURRENT ? [] : AREA_PARTS),
    ...(municipality === undefined ? [] : (["municipal_levy"] as const)),
    ...(feedIn === CURRENT ? [] : (["feed_in"] as const)),
  ];
  const parts = Object.fromEntries(chosen.map((key) => [key, made![key]]));
  // The metering fee differs by meter, not by area.
  if (area !== CURRENT && metering !== undefined)
    parts.grid_usage = { ...made!.grid_usage, metering_eur_month: metering };
  return withParts(period, parts);
}

function energyOf(
  { supplier, markupCtKwh, fixedCtKwh }: TariffChoice,
  preset: EnergyPrice | undefined,
  vatPct: number,
): EnergyPrice {
  if (supplier === OTHER_SPOT) return { type: "spot", markup_ct_kwh: (markupCtKwh ?? 0) as number };
  if (supplier !== FIXED) return preset!;
  const net =
    typeof fixedCtKwh === "number" ? Number((fixedCtKwh / (1 + vatPct / 100)).toFixed(6)) : fixedCtKwh;
  return { type: "fixed", ct_kwh: net as number };
}
