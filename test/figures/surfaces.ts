import { type ComponentChild, h } from "preact";
import { render } from "preact-render-to-string";
import type { HistoryDay } from "../../src/api/documents/history.js";
import { hoursDemandDocument } from "../../src/api/documents/hours-demand.js";
import type { SavingsPageDocument } from "../../src/api/documents/savings-page.js";
import type { Site } from "../../src/config/site.js";
import { SiteRuntimes } from "../../src/config/site-runtimes.js";
import { createBus } from "../../src/core/bus.js";
import type { LiveState } from "../../src/core/domain/sample.js";
import { createMirror } from "../../src/edges/mqtt/topics/mirror.js";
import { PacedValues } from "../../src/edges/mqtt/topics/paced-values.js";
import { createTopics } from "../../src/edges/mqtt/topics/topics.js";
import type { SavingsNow } from "../../src/money/ledger/savings-view.js";
import type { SitePlan } from "../../src/plan/site-plan.js";
import type { MonthDocument } from "../../src/portal/bill/format.js";
import { BillLinesSection } from "../../src/portal/bill/lines.js";
import { EnergyFlow } from "../../src/portal/dashboard/energy-flow.js";
import { Saved, Summary } from "../../src/portal/dashboard/summary.js";
import type { DashboardView } from "../../src/portal/dashboard/view.js";
import { HistoryTable } from "../../src/portal/history/tables.js";
import { DayTable } from "../../src/portal/savings/page.js";
import { formatOf } from "../../src/texts/format.js";
import { manualClock } from "../support/manual-clock.js";

const ZONE = "Europe/Vienna";
const format = formatOf("de", ZONE);

/** The words of a page in German, without its markup. */
function words(page: ComponentChild): string {
  return render(h("div", {}, page))
    .replace(/<[^>]+>/g, " ")
    .replace(/&#39;|&quot;/g, "'")
    .replace(/\s+/g, " ")
    .trim();
}

/** An amount as a person in Austria writes it, with two decimals; independent of the product's own formats. */
export function written(value: number): string {
  const cents = Math.round(Math.abs(value) * 100 + 1e-7);
  const [whole, rest] = [Math.floor(cents / 100), String(cents % 100).padStart(2, "0")];
  const grouped = String(whole).replace(/\B(?=(\d{3})+$)/g, " ");
  return `${value < 0 && cents > 0 ? "−" : ""}${grouped},${rest}`;
}

/** What a person reads of a site on the pages, and a controller on the topics. */
export class Surfaces {
  readonly #site: Site;
  readonly #now: Date;

  constructor(site: Site, now: Date) {
    this.#site = site;
    this.#now = now;
  }

  savingsPage(document: SavingsPageDocument): string {
    const context = { language: "de", now: this.#now, site: this.#site } as never;
    return words(h(DayTable, { context, document, format }));
  }

  historyPage(days: readonly HistoryDay[], rows: Parameters<typeof HistoryTable>[0]["data"]["rows"]): string {
    const data = { site: this.#site, period: "month", days, rows } as never;
    return words(h(HistoryTable, { data, format }));
  }

  billPage(bill: MonthDocument): string {
    const context = { language: "de", now: this.#now, site: this.#site } as never;
    return words(h(BillLinesSection, { context, bill }));
  }

  overview(known: { plan?: SitePlan; savings?: SavingsNow; live?: LiveState }) {
    const house = {
      now: this.#now,
      site: this.#site,
      plan: known.plan,
      savings: known.savings,
      live: known.live ?? {},
      hours: [],
      slots: [],
      tariff: {},
      limits: { staleMinutes: 15, lostMinutes: 120 },
    } as unknown as DashboardView;
    return {
      saved: words(h(Saved, { house, format })),
      flow: words(h(EnergyFlow, { house, format })),
      summary: words(h(Summary, { house, format })),
    };
  }

  /** The retained topics of the plan and the savings, without the prefix. */
  topics({ plan, savings }: { plan?: SitePlan; savings?: SavingsNow }): Map<string, string> {
    const values = new Map<string, string>();
    const topics = createTopics("hourgate");
    const setValue = (topic: string, payload: string) =>
      void values.set(topic.slice(topics.of(this.#site.id, "").length), payload);
    const mirror = createMirror({
      topics,
      sites: new SiteRuntimes(createBus(), [this.#site]),
      plans: { current: () => plan, present: () => undefined },
      zoneOf: () => ZONE,
      planDocument: () =>
        plan && hoursDemandDocument(plan, { zone: ZONE, baseUrl: "http://home", language: "en" }),
      forecastDocument: () => undefined,
      pvForecastDocument: () => undefined,
      chargeTargetPct: () => undefined,
      savings: { now: () => savings },
      setValue,
      paced: new PacedValues(manualClock(new Date(0)), (topic, make) => setValue(topic, make())),
    });
    mirror.plan(this.#site.id);
    mirror.planDocument(this.#site.id, true);
    mirror.savings(this.#site.id);
    return values;
  }
}
