import type { Services } from "../../api/services.js";
import type { Site } from "../../config/site.js";
import { floorTo, QUARTER_MS } from "../../core/domain/interval.js";
import { localDate, VIENNA } from "../../core/time/zone.js";
import { quarterSpot } from "../../forecast/price/settlement.js";
import { compileTariff } from "../../tariff/compile-tariff.js";
import { periodAt, periodsOf } from "../../tariff/tariff.js";
import { formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import { changedPlant } from "../ems/unlikely-values.js";
import { SubmitButton } from "../ui/form.js";
import { dateIn, FROM_FIELD } from "../ui/from-date.js";
import type { Typed } from "./step.js";
import { tariffStep } from "./tariff.js";

/** Prices of the present hour, ct/kWh. */
interface PriceNow {
  spotCtKwh: number;
  ctKwh: number;
}

/** The price of the present hour under the tariff of the form; undefined before there are prices. */
export function priceNow(
  services: Pick<Services, "clock" | "forecast" | "prices" | "stepMinutes">,
  site: Site,
  typed: Typed,
): PriceNow | undefined {
  const hour = services.forecast.hours(1)?.[0];
  const change = tariffStep.read(typed, site);
  if (hour === undefined || "errors" in change) return undefined;
  const parsed = changedPlant(site.plant, change.plant);
  if ("findings" in parsed || parsed.plant.tariff === null) return undefined;
  const now = services.clock.now();
  const date = dateIn(typed.text(FROM_FIELD)) ?? localDate(now, site.plant.timezone);
  const prices = compileTariff([periodAt(periodsOf(parsed.plant.tariff), date)], site.plant.timezone);
  const quarter = new Date(floorTo(now.getTime(), QUARTER_MS));
  const { importSpotCtKwh } = quarterSpot(hour, quarter, {
    series: services.prices.published(),
    priceMinutes: services.stepMinutes,
    tariff: prices,
  });
  return { spotCtKwh: importSpotCtKwh, ctKwh: prices.importCtKwh(importSpotCtKwh, now) };
}

/** What a kWh costs now under the tariff of the form; the script of the page replaces it when a field changes. */
export function PriceNote({ context, price }: { context: SignedInContext; price: PriceNow | undefined }) {
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

/** Shows the price again where scripts are disabled. */
export function PreviewButton({ context }: { context: SignedInContext }) {
  return (
    <SubmitButton kind="plain" name="preview" value="true">
      {textsOf(context.language).start.tariff.preview}
    </SubmitButton>
  );
}
