import { whatIfDocument } from "../../api/documents/what-if.js";
import type { Site } from "../../config/site.js";
import { typedAmount, typedNumber } from "../../core/number-text.js";
import { addDays, localDate, monthAfter, monthsBack } from "../../core/time/zone.js";
import type { PriceSeries } from "../../forecast/market/price-series.js";
import { WhatIfInputError, type WhatIfService } from "../../money/compare/service.js";
import type { SiteChange } from "../../money/compare/site-change.js";
import type { WhatIfRequest } from "../../money/compare/what-if-answers.js";
import { periodAsked } from "../../money/compare/what-if-past.js";
import type { Ledger } from "../../money/ledger/ledger.js";
import { formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { Page, PageReply } from "../context.js";
import type { FormBody } from "../form-body.js";
import { accountPage, type SiteContext, sitePage, titledPage } from "../page.js";
import type { FieldErrors } from "../ui/form.js";
import { COMPARE_LINK, WHAT_IF_PATH } from "../ui/links.js";
import { WhatIfPage } from "./page.js";

/** Services that the page "What if" uses. */
export interface WhatIfPageOptions {
  whatIf: Pick<
    WhatIfService,
    "begin" | "cancel" | "current" | "isBusy" | "prices" | "remove" | "results" | "tariffs"
  >;
  ledger: Pick<Ledger, "firstDate">;
}

const MOST_MONTHS = 12;

/** Questions about the past of a site. */
export function whatIfPages({ whatIf, ledger }: WhatIfPageOptions): Page[] {
  const show = async (
    context: SiteContext,
    refused?: { errors: FieldErrors; typed: FormBody; text?: string },
  ): Promise<PageReply> => {
    const { site, now } = context;
    const first = await ledger.firstDate(site);
    const content = {
      document: whatIfDocument(site.id, {
        run: whatIf.current(site.id),
        results: await whatIf.results(site.id),
      }),
      isBusy: whatIf.isBusy(site.accountId),
      periods: periodsOf(site, now, whatIf.prices(site)),
      suppliers: whatIf.tariffs(site, context.query.get("area") ?? undefined).map(({ name }) => name),
      hasYear: first !== undefined && first <= addDays(localDate(now, site.plant.timezone), -365),
    };
    return {
      page: <WhatIfPage context={context} content={content} {...(refused && { refused })} />,
      status: refused === undefined ? 200 : 422,
    };
  };

  return [
    titledPage((texts) => texts.whatIf.title).get(WHAT_IF_PATH, (context) => show(context)),
    // The address of earlier versions.
    accountPage.get("/compare", ({ query }) => {
      const kept = [...query].map(([name, value]) => `&${new URLSearchParams({ [name]: value })}`);
      return { redirect: `${COMPARE_LINK}${kept.join("")}` };
    }),
    sitePage.post(WHAT_IF_PATH, {}, (context, site, form) => {
      const texts = textsOf(context.language).whatIf;
      const { request, errors } = requestOf(context, form);
      if (Object.keys(errors).length > 0) return show(context, { errors, typed: form });
      if (Object.keys(request.change).length === 0 && request.tariffs === undefined)
        return show(context, { errors, typed: form, text: texts.nothing });
      try {
        const begun = whatIf.begin(site, request);
        if (begun === "busy") return show(context, { errors, typed: form, text: texts.busy });
        if (begun === "too_many") return show(context, { errors, typed: form, text: texts.tooMany });
      } catch (error) {
        if (!(error instanceof WhatIfInputError)) throw error;
        return show(context, { errors: { [NAMES[error.field]]: texts.wrong[error.field] }, typed: form });
      }
      return { redirect: backTo(site) };
    }),
    sitePage.post(`${WHAT_IF_PATH}/cancel`, { of: WHAT_IF_PATH }, (_context, site) => {
      whatIf.cancel(site.id);
      return { redirect: backTo(site) };
    }),
    sitePage.post(`${WHAT_IF_PATH}/remove`, { of: WHAT_IF_PATH }, async (_context, site, form) => {
      await whatIf.remove(site.id, form.text("id"));
      return { redirect: backTo(site) };
    }),
  ];
}

const NAMES = { period: "period", tariff: "tariff", area: "area", withoutCar: "without_car" } as const;

function backTo({ id }: Site): string {
  return `${WHAT_IF_PATH}?${new URLSearchParams({ site: id })}`;
}

/** Months that are over and have a week of prices, latest first, then such calendar years. */
function periodsOf(site: Site, now: Date, series: PriceSeries): string[] {
  const { plant } = site;
  if (series.isEmpty) return [];
  const monthAt = (ms: number) => localDate(new Date(ms), plant.timezone).slice(0, 7);
  const first = monthAt(series.startMs);
  const months = monthsBack(monthAfter(monthAt(now.getTime()), -1), first, MOST_MONTHS);
  const [oldest, newest] = [first, monthAt(series.endMs - 1)].map((month) => Number(month.slice(0, 4)));
  const years = Array.from({ length: newest! - oldest! + 1 }, (_, index) => String(newest! - index));
  return [...months, ...years].filter((period) => periodAsked(period, { series, now, site }) !== undefined);
}

/** Numbers of the form with the largest allowed value. */
const NUMBERS = {
  battery_kwh: 1000,
  pv_kwp_more: 1000,
  heat_pump_kwh_year: 100_000,
  annual_kwh: 1_000_000,
} as const;

function requestOf(
  { language, site }: SiteContext,
  form: FormBody,
): { request: WhatIfRequest; errors: Record<string, string> } {
  const { wrong } = textsOf(language).whatIf;
  const format = formatOf(language, site.plant.timezone);
  const errors: Record<string, string> = {};
  const number = (name: keyof typeof NUMBERS, read = typedNumber) => {
    const typed = form.text(name);
    if (typed === "") return undefined;
    const value = read(typed) ?? Number.NaN;
    if (!(value > 0 && value <= NUMBERS[name])) errors[name] = wrong.number(format.number(NUMBERS[name], 0));
    return value;
  };
  const batteryKwh = number("battery_kwh");
  const pvKwpMore = number("pv_kwp_more");
  const heatPumpKwhYear = number("heat_pump_kwh_year", typedAmount);
  const annualKwh = number("annual_kwh", typedAmount);
  const [tariff, ...more] = [...new Set(form.texts("tariff"))].filter((name) => name !== "");
  const area = form.text("area");
  const isOne = more.length === 0 && area === "";
  const change: SiteChange = {
    ...(batteryKwh !== undefined && { batteryKwh }),
    ...(pvKwpMore !== undefined && { pvKwpMore }),
    ...(tariff !== undefined && isOne && { tariff }),
    ...(form.isTicked("without_car") && { withoutCar: true }),
    ...(heatPumpKwhYear !== undefined && { heatPumpKwhYear }),
  };
  const period = form.text("period") || "year";
  const request = {
    period,
    change,
    ...(annualKwh !== undefined && { annualKwh }),
    ...(tariff !== undefined && !isOne && { tariffs: [tariff, ...more] }),
    ...(tariff !== undefined && area !== "" && { area }),
  };
  return { request, errors };
}
