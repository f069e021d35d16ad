import type { Services } from "../../api/services.js";
import type { PlantSettings } from "../../config/settings.js";
import { floorTo, QUARTER_MS } from "../../core/domain/interval.js";
import { localDate, VIENNA } from "../../core/time/zone.js";
import { quarterSpot } from "../../forecast/price/settlement.js";
import { compileTariff } from "../../tariff/compile-tariff.js";
import { periodAt, periodsOf } from "../../tariff/tariff.js";
import { formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { PageContext } from "../context.js";

/** Services that know the price of the present hour. */
export type PriceServices = Pick<Services, "clock" | "forecast" | "prices" | "stepMinutes">;

/** Prices of the present hour, ct/kWh. */
export interface HourPrice {
  spotCtKwh: number;
  ctKwh: number;
}

/** The price of the present hour under the tariff of a site as of a local date; undefined before there are prices. */
export function priceNow(
  services: PriceServices,
  { tariff, timezone }: Pick<PlantSettings, "tariff" | "timezone">,
  date?: string,
): HourPrice | undefined {
  const hour = services.forecast.hours(1)?.[0];
  if (hour === undefined || tariff === null) return undefined;
  const now = services.clock.now();
  const period = periodAt(periodsOf(tariff), date ?? localDate(now, timezone));
  const prices = compileTariff([period], timezone);
  const quarter = new Date(floorTo(now.getTime(), QUARTER_MS));
  const { settledCtKwh } = quarterSpot(hour, quarter, {
    series: services.prices.published(),
    priceMinutes: services.stepMinutes,
    tariff: prices,
  });
  return { spotCtKwh: settledCtKwh, ctKwh: prices.importCtKwh(settledCtKwh, now) };
}

/** What a kWh costs now under the tariff of the form; the script of the page replaces it when a field changes. */
export function priceNote(context: PageContext, price: HourPrice | undefined) {
  const { start } = textsOf(context.language);
  const { number } = formatOf(context.language, VIENNA);
  return (
    <p id="price-now" class="big" aria-live="polite">
      {price === undefined
        ? start.tariff.noPrice
        : start.tariff.now(number(price.ctKwh, 1), number(price.spotCtKwh, 1))}
    </p>
  );
}
