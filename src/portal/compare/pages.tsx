import { comparisonRunDocument } from "../../api/documents/comparison.js";
import type { Site } from "../../config/site.js";
import { localDate } from "../../core/time/zone.js";
import type { PriceSeries } from "../../forecast/market/price-series.js";
import { presetTariffs } from "../../money/compare/preset-tariffs.js";
import type { ComparisonService } from "../../money/compare/service.js";
import { areaOf, tariffPresets } from "../../tariff/presets.js";
import { textsOf } from "../../texts/index.js";
import type { Page, SignedInContext } from "../context.js";
import { accountPage, sitePage } from "../page.js";
import { type CompareChoice, ComparePage } from "./page.js";

/** Services that the page "Compare" uses. */
export interface ComparePageOptions {
  comparisons: Pick<ComparisonService, "begin" | "current" | "isBusy">;
  prices: { published(): PriceSeries };
}

/** The comparison of tariffs, as a page and as JSON. */
export function comparePages({ comparisons, prices }: ComparePageOptions): Page[] {
  const show = (context: SignedInContext, { area, error }: { area?: string; error?: string } = {}) => {
    const { site } = context;
    const content = site && {
      site,
      choice: choiceOf(site, area ?? "", prices.published()),
      run: comparisons.current(site.id),
      isBusy: comparisons.isBusy,
    };
    return {
      page: <ComparePage context={context} content={content} error={error} />,
      status: error === undefined ? 200 : 422,
    };
  };

  return [
    accountPage.get("/compare", (context) => show(context, { area: context.query.get("area") ?? "" })),
    sitePage.post("/compare", {}, (context, site, form) => {
      const texts = textsOf(context.language).compare;
      const area = form.text("area");
      const { tariffs, years } = choiceOf(site, area, prices.published());
      const names = form.texts("tariff");
      const chosen = tariffs.filter(({ name }) => names.includes(name));
      const year = form.text("year");
      if (chosen.length === 0) return show(context, { area, error: texts.noneChosen });
      if (year !== "" && !years.includes(year)) return show(context, { area, error: texts.wrongYear });
      if (!comparisons.begin(site, { year: year === "" ? null : year, tariffs: chosen }))
        return show(context, { area, error: texts.busy });
      return {
        redirect: `/compare?${new URLSearchParams({ site: site.id, ...(area !== "" && { area }) })}`,
      };
    }),
    sitePage.get("/portal/compare", (_context, site) => {
      const run = comparisons.current(site.id);
      const document = comparisonRunDocument({ siteId: site.id, zone: site.plant.timezone, run });
      return { document: JSON.stringify(document), type: "application/json; charset=utf-8" };
    }),
  ];
}

/** The tariffs of the grid area asked for, else of the site's own; without an area only the tariff of the site. */
function choiceOf({ plant }: Site, asked: string, prices: PriceSeries): CompareChoice {
  const isKnown = tariffPresets().areas.some(({ id }) => id === asked);
  const own = plant.tariff;
  const area = isKnown ? asked : own === null ? undefined : areaOf(own);
  const onlyOwn = own === null ? [] : [{ name: "current", tariff: own }];
  return {
    area,
    tariffs: area === undefined ? onlyOwn : presetTariffs(own, area),
    years: yearsOf(prices, plant.timezone),
  };
}

function yearsOf(prices: PriceSeries, zone: string): string[] {
  if (prices.isEmpty) return [];
  const yearAt = (ms: number) => Number(localDate(new Date(ms), zone).slice(0, 4));
  const [first, last] = [yearAt(prices.startMs), yearAt(prices.endMs - 1)];
  return Array.from({ length: last - first + 1 }, (_, index) => String(last - index));
}
