import type { PlantSettings } from "../../config/settings.js";
import { HOUR_MS } from "../../core/domain/interval.js";
import { typedAmount } from "../../core/number-text.js";
import { localDate, monthAfter, monthInterval, monthsBack } from "../../core/time/zone.js";
import type { PriceSeries } from "../../forecast/market/price-series.js";
import { billMonth } from "../../tariff/bill.js";
import { TariffError } from "../../tariff/tariff.js";
import { formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { PageContext } from "../context.js";
import { Notice, NumberField, SubmitButton } from "../ui/form.js";
import { Card } from "../ui/parts.js";
import { EMS_PATH } from "./section-form.js";

const NAMES = ["bill_kwh", "bill_months", "bill_eur"] as const;
const MOST_MONTHS = 12;

/** What the last bill says, and what the tariff in force makes of the same energy. */
export interface LastBillCheck {
  typed: Readonly<Record<(typeof NAMES)[number], string>>;
  /** Undefined: something is missing or no number. */
  result?: { billEur: number; computedEur: number };
  /** Why nothing can be computed. */
  fault?: string;
}

/** The check that a page was asked for; undefined for none. */
export function lastBillCheck(
  { query, now, language }: PageContext,
  plant: PlantSettings,
  prices: PriceSeries,
): LastBillCheck | undefined {
  if (!NAMES.some((name) => query.has(name))) return undefined;
  const text = (name: (typeof NAMES)[number]) => query.get(name) ?? "";
  const typed = { bill_kwh: text("bill_kwh"), bill_months: text("bill_months"), bill_eur: text("bill_eur") };
  const [kwh, months = MOST_MONTHS, billEur] = NAMES.map((name) => typedAmount(typed[name]));
  const { lastBill } = textsOf(language).ems;
  const isUsable =
    kwh !== undefined && kwh > 0 && billEur !== undefined && months >= 1 && months <= MOST_MONTHS;
  if (!isUsable || plant.tariff === null) return { typed, fault: lastBill.incomplete };
  try {
    const computedEur = billOf({ plant, kwh, months: Math.round(months), prices, now });
    return computedEur === undefined
      ? { typed, fault: lastBill.noPrices }
      : { typed, result: { billEur, computedEur } };
  } catch (error) {
    if (error instanceof TariffError) return { typed, fault: error.text(language) };
    throw error;
  }
}

/** The sum of the bills of the last whole months, with the energy spread evenly over their hours, EUR. */
function billOf({
  plant: { tariff, timezone: zone },
  kwh,
  months,
  prices,
  now,
}: {
  plant: PlantSettings;
  kwh: number;
  months: number;
  prices: PriceSeries;
  now: Date;
}): number | undefined {
  const last = monthAfter(localDate(now, zone).slice(0, 7), -1);
  const all = monthsBack(last, "", months).map((month) => {
    const { start, end } = monthInterval(month, zone);
    const hours = (end.getTime() - start.getTime()) / HOUR_MS;
    return { month, starts: Array.from({ length: hours }, (_, hour) => start.getTime() + hour * HOUR_MS) };
  });
  const known = all.flatMap(({ starts }) => starts.flatMap((atMs) => prices.hour(atMs) ?? []));
  if (known.length === 0) return undefined;
  // Hours before the first known price cost what the others cost on average.
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  const importKwh = kwh / all.reduce((sum, { starts }) => sum + starts.length, 0);
  return all.reduce((sum, { month, starts }) => {
    const steps = starts.map((atMs) => ({
      start: new Date(atMs),
      importKwh,
      exportKwh: 0,
      spotCtKwh: (prices.hour(atMs) ?? mean) / 10,
    }));
    return sum + billMonth({ tariff: tariff!, zone, month, steps }).totalEur;
  }, 0);
}

/** "What does the last bill say?": the bill beside what the tariff in force makes of it. */
export function lastBillCard(context: PageContext, check: LastBillCheck | undefined, zone: string) {
  const { lastBill: texts } = textsOf(context.language).ems;
  const { number } = formatOf(context.language, zone);
  const { result } = check ?? {};
  const differencePct = result && Math.round((result.computedEur / result.billEur - 1) * 100);
  const units = { bill_kwh: "kWh", bill_months: texts.months, bill_eur: "€" };
  return (
    <Card title={texts.title} id="last-bill">
      <p>{texts.intro}</p>
      {check?.fault !== undefined && <Notice kind="warning">{check.fault}</Notice>}
      {result !== undefined && (
        <Notice kind={Math.abs(differencePct!) > 10 ? "warning" : "success"}>
          <p>
            <strong>{texts.result(number(result.computedEur), number(result.billEur))}</strong>
          </p>
          <p>{Math.abs(differencePct!) > 10 ? texts.differs : texts.fits}</p>
        </Notice>
      )}
      <form method="get" action={`${EMS_PATH}/tariff#last-bill`}>
        {context.site !== undefined && <input type="hidden" name="site" value={context.site.id} />}
        <div class="fields">
          {NAMES.map((name) => (
            <NumberField
              key={name}
              name={name}
              label={texts.fields[name]}
              unit={units[name]}
              value={check?.typed[name] ?? (name === "bill_months" ? MOST_MONTHS : "")}
            />
          ))}
        </div>
        <SubmitButton kind="plain">{texts.check}</SubmitButton>
      </form>
    </Card>
  );
}
