import type { IncomingMessage } from "node:http";
import { recipeDocument } from "../../api/documents/device-schedules.js";
import { forecastDocument } from "../../api/documents/forecast.js";
import { hoursDemandDocument } from "../../api/documents/hours-demand.js";
import { pvForecastDocument } from "../../api/documents/pv-forecast.js";
import type { Services } from "../../api/services.js";
import type { Site } from "../../config/site.js";
import type { FreshnessLimits } from "../../core/domain/freshness.js";
import { DAY_MS } from "../../core/domain/interval.js";
import { visibleTo } from "../../core/health-registry.js";
import type { Language } from "../../core/language.js";
import { formatIso } from "../../core/time/zone.js";
import type { SavingsNow } from "../../money/ledger/savings-view.js";
import type { PastCommand } from "../../plan/devices/command-history.js";
import { textsOf } from "../../texts/index.js";
import type { Page, SignedInContext } from "../context.js";
import { FormBody } from "../form-body.js";
import { accountPage, sitePage, titledPage } from "../page.js";
import { proposedLoadWithout } from "./alerts.js";
import { chartCount } from "./chart.js";
import type { LiveEvents } from "./live-events.js";
import { outputsPage, outputsParts } from "./outputs-page.js";
import { OverridePage, placeOfOverride } from "./override-page.js";
import { dashboardPage, dashboardParts } from "./page.js";
import type { RecentReadingsReader } from "./recent-readings.js";
import { type RetryOptions, retry } from "./retry.js";
import { RunCosts, takeOverride, tryForm } from "./take-override.js";
import { type DashboardView, type QuotaLeft, type ViewServices, viewOf } from "./view.js";

/** Services that the dashboard uses. */
export interface DashboardOptions {
  services: ViewServices & Pick<Services, "components" | "devicePlans" | "pv">;
  events: LiveEvents;
  /** Remaining calls of the key of the site; undefined without a key. */
  quota(
    site: Site,
    account: SignedInContext["account"],
  ): Promise<QuotaLeft | undefined> | QuotaLeft | undefined;
  /** Savings of a site so far; undefined before the first computation. */
  savings: { now(siteId: string): SavingsNow | undefined };
  /** What was measured yesterday and today. */
  recent: Pick<RecentReadingsReader, "of">;
  /** What the alerts of the overview try again. */
  retried: RetryOptions;
  /** Names of the connected devices of a site by their ids. */
  deviceNames(site: Site, language: Language): ReadonlyMap<string, string>;
  /** Commands of a site that ended after an instant. */
  commands: { since(siteId: string, from: Date): readonly PastCommand[] };
  /** Age from which a reading is stale, and lost. */
  limits: FreshnessLimits;
  /** MQTT topic for the SOC of a site. */
  socTopic(siteId: string): string;
  /** Sets `telemetry.load_without` of a site. */
  setLoadWithout(siteId: string, slots: readonly number[]): Promise<unknown>;
  /** Whether the browser of a request is still signed in. */
  isSignedIn(request: IncomingMessage): boolean;
}

const overviewPage = titledPage(({ dashboard }) => dashboard.title);

/** The dashboard, its data and its events. */
export function dashboardPages(options: DashboardOptions): Page[] {
  const { services, events, recent } = options;
  const runCosts = new RunCosts(services);

  const componentsOf = ({ account: { administrator } }: SignedInContext, site: Site) =>
    visibleTo({ administrator, siteId: site.id }, services.components.list());

  const houseOf = async (context: SignedInContext, site: Site): Promise<DashboardView> => {
    const { soc, days } = await recent.of(site, services.clock.now());
    return {
      ...viewOf(services, site),
      socHistory: soc,
      energy: days,
      runCosts: await runCosts.of(site),
      past: options.commands.since(site.id, new Date(services.clock.now().getTime() - DAY_MS)),
      csrfToken: context.csrfToken,
      limits: options.limits,
      components: componentsOf(context, site),
      deviceNames: options.deviceNames(site, context.language),
      savings: options.savings.now(site.id),
      socTopic: options.socTopic(site.id),
    };
  };

  const withOutputs = async (context: SignedInContext, site: Site): Promise<DashboardView> => ({
    ...viewOf(services, site),
    quota: await options.quota(site, context.account),
  });

  return [
    overviewPage.get("/dashboard", async (context, site) => {
      const house = await houseOf(context, site);
      return {
        page: dashboardPage(context, house, chartCount(context.query.get("hours"))),
      };
    }),
    overviewPage.get("/developers/outputs", async (context, site) => ({
      page: outputsPage(context, await withOutputs(context, site)),
    })),
    sitePage.get("/dashboard/override", async (context, site) => {
      const form = new FormBody(context.query);
      const found = await tryForm(services, site, form);
      if (found === "unknown") return { refuse: 404 };
      if (typeof found === "object")
        return { page: <OverridePage context={context} site={site} form={form} shown={found} /> };
      context.session.flash("refused", textsOf(context.language).dashboard.overrideRefused[found]);
      return { redirect: placeOfOverride(form, site.id) };
    }),
    sitePage.post(
      "/dashboard/override",
      { of: "/dashboard", event: "device.overridden" },
      async (context, site, form) => {
        const outcome = await takeOverride(services, site, form);
        if (outcome === "unknown") return { refuse: 404 };
        if (outcome !== "done")
          context.session.flash("refused", textsOf(context.language).dashboard.overrideRefused[outcome]);
        return { redirect: placeOfOverride(form, site.id) };
      },
    ),
    sitePage.post(
      "/dashboard/load-without",
      { of: "/dashboard", event: "settings.changed" },
      async (_context, site) => {
        const slots = proposedLoadWithout(services.components.list(), site.id);
        if (slots === undefined) return { refuse: 404 };
        await options.setLoadWithout(site.id, slots);
        return { redirect: `/dashboard?site=${encodeURIComponent(site.id)}` };
      },
    ),
    sitePage.post("/dashboard/retry", { of: "/dashboard" }, async (context, site, form) => {
      const component = componentsOf(context, site).find(({ name }) => name === form.text("component"));
      if (component === undefined) return { refuse: 404 };
      // One that works by now needs nothing.
      const isDone = component.state === "ok" || (await retry(options.retried, component.name, site.id));
      if (!isDone) return { refuse: 404 };
      return { redirect: `/dashboard?site=${encodeURIComponent(site.id)}` };
    }),
    accountPage.get("/portal/data", async (context) => {
      const site = ownSite(context);
      if (site === undefined) return { refuse: 404 };
      const { language } = context;
      const isOutputs = context.query.get("view") === "outputs";
      const house = await (isOutputs ? withOutputs : houseOf)(context, site);
      const parts = isOutputs
        ? outputsParts(house, language)
        : dashboardParts(house, language, chartCount(context.query.get("hours")));
      return context.query.get("parts") === "only" ? { parts } : { parts, data: data(house) };

      function data(of: DashboardView) {
        const view = { zone: of.site.plant.timezone, baseUrl: services.baseUrl, language };
        const run = services.forecast.current();
        const pv = services.pv.forecast(of.site.id);
        const recipes = of.slots.map((plan) => recipeDocument(plan, { now: of.now, zone: view.zone }));
        return {
          time: formatIso(of.now, view.zone),
          timezone: view.zone,
          plan: of.plan === undefined ? null : hoursDemandDocument(of.plan, { ...view, recipes }),
          forecast:
            run === undefined || of.hours === undefined
              ? null
              : forecastDocument({
                  run,
                  hours: of.hours,
                  zone: view.zone,
                  tariff: of.tariff,
                  intervals: true,
                }),
          pv_forecast:
            pv === undefined
              ? null
              : pvForecastDocument(pv, { zone: view.zone, language, granularity: "both", days: 7 }),
          recipes,
        };
      }
    }),
    accountPage.get("/portal/events", (context) => {
      const site = ownSite(context);
      if (site === undefined) return { refuse: 404 };
      return {
        stream: (request, response) =>
          events.open(request, response, {
            siteId: site.id,
            accountId: context.account.id,
            isSignedIn: () => options.isSignedIn(request),
            followsConnections: context.query.get("about") === "connections",
          }),
      };
    }),
  ];
}

/** The requested site if it belongs to the account; the selected one without a request. */
function ownSite(context: SignedInContext): Site | undefined {
  const asked = context.query.get("site");
  return asked === null ? context.site : context.sites.find(({ id }) => id === asked);
}
