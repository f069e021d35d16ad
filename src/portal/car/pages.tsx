import type { SettingsHistory } from "../../accounts/settings-history.js";
import type { SiteRegistry } from "../../accounts/site-registry.js";
import type { Services } from "../../api/services.js";
import type { Site } from "../../config/site.js";
import { DAY_MS } from "../../core/domain/interval.js";
import { readingOfSlot } from "../../core/domain/sample.js";
import { slotNumber } from "../../core/domain/slot.js";
import { typedNumber, withoutPercentSign } from "../../core/number-text.js";
import type { SlotPlan } from "../../plan/windows/slot-schedule.js";
import { usualRunEnd } from "../../plan/windows/usual-end.js";
import { departuresOf } from "../../plan/windows/vehicle.js";
import { formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { Page, SignedInContext } from "../context.js";
import { tryForm } from "../dashboard/take-override.js";
import { type ViewServices, viewOf } from "../dashboard/view.js";
import { FormBody } from "../form-body.js";
import { type SiteContext, sitePage, sitePageOrSites } from "../page.js";
import { Layout } from "../ui/layout.js";
import { carLink } from "../ui/links.js";
import { flashUndo } from "../ui/notices.js";
import { linkLine } from "../ui/parts.js";
import { offerPart } from "./offer.js";
import { CarPage } from "./page.js";
import { socSource, TypedSocs } from "./soc-source.js";
import type { AskedTarget, Offer } from "./view.js";
import { slotsWithWeek } from "./week-card.js";

export interface CarPagesOptions {
  services: ViewServices & Pick<Services, "devicePlans" | "devices">;
  sites: Pick<SiteRegistry, "telemetryMap">;
  history: Pick<SettingsHistory, "save">;
}

/** The page of each car. */
export function carPages({ services, sites, history }: CarPagesOptions): Page[] {
  const typed = new TypedSocs();
  const carsOf = (site: Site) =>
    services.flex.current(site.id).filter(({ settings }) => settings.kind === "wallbox");
  const carOf = (site: Site, slot: string | null): SlotPlan | undefined => {
    const cars = carsOf(site);
    return slot === null ? cars[0] : cars.find((one) => String(one.slot) === slot);
  };

  /** The target of the query, else the one in force. */
  const offerOf = async (context: SiteContext, plan: SlotPlan): Promise<Offer> => {
    const { site, query } = context;
    const { override } = plan;
    const isAsked = query.has("target_soc_pct");
    const texts = textsOf(context.language).dashboard.overrideRefused;
    if (!isAsked && (override === undefined || override.action === "target")) {
      // The joint plan of this demand is in force already.
      const request = { ...override, action: "target" } as const;
      return { tried: services.flex.sites.of(site.id).tryOverride(plan.slot, request), isInForce: true };
    }
    const form = new FormBody(query);
    const asked = new FormBody(
      new URLSearchParams([...form.entries(), ["slot", String(plan.slot)], ["override", "target"]]),
    );
    const shown = await tryForm(services, site, asked);
    if (typeof shown === "string") return { refused: shown === "unknown" ? texts.override : texts[shown] };
    if (shown.slot === "battery") return { refused: texts.override };
    return { tried: shown.tried, isInForce: false };
  };

  const show = async (context: SiteContext, plan: SlotPlan) => {
    const { site, language, now } = context;
    const { settings, override } = plan;
    const isGuest = override?.action === "guest";
    const isOffered = settings.vehicle !== null && !isGuest;
    if (isOffered) services.devicePlans.prepareToTry();
    const offer = isOffered ? await offerOf(context, plan) : undefined;
    return (
      <CarPage
        {...{ context, plan, offer }}
        house={viewOf(services, site)}
        cars={carsOf(site)}
        asked={offer && askedTarget(context, plan, offer)}
        socSource={socSource(
          plan,
          { siteId: site.id, services, topics: sites.telemetryMap(site.id), typed, now },
          formatOf(language, site.plant.timezone),
        )}
        runEur={runEur(site, plan, now)}
      />
    );
  };

  const runEur = (site: Site, plan: SlotPlan, now: Date): number | undefined => {
    if (plan.override?.action === "run") return undefined;
    const request = { action: "run", until: usualRunEnd(plan, now) } as const;
    const cost = services.flex.sites.of(site.id).tryOverride(plan.slot, request).cost;
    return cost === undefined || cost.override.energyKwh === 0 ? undefined : cost.override.costEur;
  };

  return [
    sitePageOrSites.get("/car", async (context, site) => {
      const plan = carOf(site, context.query.get("slot"));
      if (plan !== undefined) return { page: await show(context, plan) };
      return context.query.has("slot") ? { refuse: 404 } : { page: noCar(context) };
    }),
    sitePage.get("/car/offer", async (context, site) => {
      const plan = carOf(site, context.query.get("slot"));
      if (plan === undefined || plan.settings.vehicle === null) return { refuse: 404 };
      return {
        parts: {
          "car-offer": offerPart(
            context,
            viewOf(services, site),
            await offerOf(context, plan),
            formatOf(context.language, site.plant.timezone),
          ),
        },
      };
    }),
    sitePage.post("/car/soc", { of: "/car" }, async (context, site, form) => {
      const plan = carOf(site, form.text("slot"));
      const slot = slotNumber(form.text("slot"));
      if (plan === undefined || slot === undefined) return { refuse: 404 };
      const texts = textsOf(context.language).car;
      const pct = typedNumber(withoutPercentSign(form.text("soc_pct")));
      const at = services.clock.now();
      if (pct === undefined || pct < 0 || pct > 100) context.session.flash("refused", texts.socRefused);
      else {
        const sample = { at, values: { [readingOfSlot(slot, "soc_pct")]: pct } };
        const { held } = await services.telemetry.ingest(site.id, [sample]);
        if (held !== undefined) context.session.flash("refused", texts.socHeld);
        typed.note(site.id, slot, at);
      }
      return { redirect: carLink(site, plan.slot) };
    }),
    sitePage.post("/car/week", { of: "/car", event: "settings.changed" }, async (context, site, form) => {
      const plan = carOf(site, form.text("slot"));
      if (plan === undefined || (plan.usual ?? plan.settings).vehicle === null) return { refuse: 404 };
      const texts = textsOf(context.language);
      const slots = slotsWithWeek(site.plant.slots, plan.slot, form);
      if (slots === undefined) context.session.flash("refused", texts.car.weekRefused);
      else {
        const saved = await history.save(site.id, { plant: { slots } });
        context.session.flash(
          "notice",
          saved === undefined ? texts.home.saved.unchanged : texts.car.weekSaved,
        );
        flashUndo(context, site.id, saved);
      }
      return { redirect: carLink(site, plan.slot) };
    }),
  ];
}

/** What the fields of the form hold. */
function askedTarget({ query, now, site }: SiteContext, plan: SlotPlan, offer: Offer): AskedTarget {
  const { settings, override } = plan;
  const typed = typedNumber(query.get("target_soc_pct") ?? "");
  const shown = "tried" in offer ? offer.tried.plan : plan;
  const until =
    shown.override?.until ??
    departuresOf(settings.vehicle!, {
      now,
      until: new Date(now.getTime() + 7 * DAY_MS),
      zone: site.plant.timezone,
    })[0] ??
    new Date(now.getTime() + DAY_MS);
  return {
    targetPct: Math.round(typed ?? settings.vehicle!.target_soc_pct),
    leastPct: shown.override?.minSocPct ?? override?.minSocPct,
    until,
  };
}

function noCar(context: SignedInContext) {
  const texts = textsOf(context.language).car;
  return (
    <Layout context={context} title={texts.title}>
      <p>{texts.none}</p>
      {linkLine("/settings/ems/slots", texts.addWallbox, "button")}
    </Layout>
  );
}
