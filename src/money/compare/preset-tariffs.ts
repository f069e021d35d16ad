import { areaOf, PresetError, tariffOfPresets, tariffPresets } from "../../tariff/presets.js";
import { periodsOf, type Tariff, type TariffPeriod } from "../../tariff/tariff.js";

/** A tariff to compare. */
export interface NamedTariff {
  name: string;
  tariff: Tariff;
}

/**
 * The tariff of a site (`current`), and those of the built-in suppliers that are offered in its grid area; what no preset knows (metering fee,
 * municipal levy, feed-in, community) is that of the site. Throws PresetError where the area is unknown.
 */
export function presetTariffs(own: Tariff | null, area: string | undefined): NamedTariff[] {
  const found = area ?? (own === null ? undefined : areaOf(own));
  const presets = tariffPresets();
  if (found === undefined) {
    throw PresetError.unknownArea(presets.areas.map(({ id }) => id));
  }
  return [
    ...(own === null ? [] : [{ name: "current", tariff: own }]),
    ...presets.suppliers
      .filter(({ incumbentIn }) => incumbentIn === undefined || incumbentIn.includes(found))
      .map(({ id }) => ({
        name: id,
        tariff: tariffOfPresets({ area: found, supplier: id }).map((period) => withOwn(period, own)),
      })),
  ];
}

function withOwn(preset: TariffPeriod, own: Tariff | null): TariffPeriod {
  const period = own === null ? undefined : periodsOf(own).at(-1);
  if (period === undefined) return preset;
  const metering = period.grid_usage?.metering_eur_month;
  return {
    ...preset,
    grid_usage: {
      ...preset.grid_usage,
      ...(metering !== undefined && { metering_eur_month: metering }),
    },
    ...(period.municipal_levy && { municipal_levy: period.municipal_levy }),
    feed_in: period.feed_in,
    community: period.community,
  };
}
