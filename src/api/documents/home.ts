import type { Site } from "../../config/site.js";
import { energyKwh, moneyEur, priceCtKwh, rounded, sharePct } from "../../core/domain/rounding.js";
import type { Language } from "../../core/language.js";
import { formatIso } from "../../core/time/zone.js";
import type { SavingsNow } from "../../money/ledger/savings-view.js";
import { deviceSentences } from "../../plan/device-sentences.js";
import { type PresentFacts, presentAndNext } from "../../plan/now-and-next.js";
import { reasonText } from "../../plan/reason-text.js";
import type { SlotPlan } from "../../plan/windows/slot-schedule.js";
import { formatOf } from "../../texts/format.js";
import { recipeDocument } from "./device-schedules.js";
import { savedDocument } from "./savings.js";

/** What a home does at a moment. */
export interface HomeView extends PresentFacts {
  site: Site;
  language: Language;
  savings: SavingsNow | undefined;
}

/** State of charge, readings, battery, devices and savings, in the words and figures of the overview. */
export function homeDocument(view: HomeView) {
  const { now, site, live, savings } = view;
  const { timezone: zone } = site.plant;
  const { soc_pct: soc, ...readings } = live;
  return {
    time: formatIso(now, zone),
    name: site.plant.name,
    soc_pct: soc === undefined ? null : sharePct(soc.value),
    soc_at: soc === undefined ? null : formatIso(soc.at, zone),
    battery: site.plant.battery === null ? null : batteryNowDocument(view),
    devices: view.slots.map((plan) => deviceNowDocument(plan, view)),
    saved: savedDocument(savings),
    readings: Object.fromEntries(
      Object.entries(readings).flatMap(([name, reading]) =>
        reading === undefined
          ? []
          : [[name, { value: rounded(reading.value, 3), at: formatIso(reading.at, zone) }]],
      ),
    ),
  };
}

/** What the battery does and why, and what it does next, as on the overview. */
export function batteryNowDocument({ language, ...facts }: HomeView) {
  const { timezone: zone } = facts.site.plant;
  const { present, next, isCharging, reason } = presentAndNext(facts, formatOf(language, zone));
  return {
    sentence: present,
    charges_from_grid: isCharging,
    reason: reason?.code ?? null,
    reason_text: reason === undefined ? null : reasonText(reason, { language, zone }),
    next: next ?? null,
  };
}

/** What a device does and why it does not run; its runs of the next two days and what they cost. */
export function deviceNowDocument(
  plan: SlotPlan,
  { now, site, language }: Pick<HomeView, "now" | "site" | "language">,
) {
  const { timezone: zone } = site.plant;
  const {
    slot_id,
    label,
    kind,
    plugged,
    power_kw,
    unmet_hours,
    next_start,
    override,
    override_until,
    vehicle,
  } = recipeDocument(plan, { now, zone });
  const said = deviceSentences(plan, now, formatOf(language, zone));
  const sentences = [said.state, said.unmet, said.takesNothing, said.notHot, said.overridden, said.planned];
  return {
    name: label,
    slot_id,
    kind,
    doing: said.doing,
    sentence: sentences.filter((sentence) => sentence !== undefined).join(" · "),
    plugged,
    power_kw,
    next_start,
    unmet_hours,
    planned_cost_eur: said.cost === undefined ? null : moneyEur(said.cost.costEur),
    planned_energy_kwh: said.cost === undefined ? null : energyKwh(said.cost.energyKwh),
    override,
    override_until,
    ...(vehicle !== undefined && { vehicle }),
    runs: said.runs.map((run) => ({
      start: formatIso(run.start, zone),
      end: formatIso(run.end, zone),
      energy_kwh: run.energyKwh === undefined ? null : energyKwh(run.energyKwh),
      average_ct_kwh: priceCtKwh(run.averageCtKwh),
    })),
  };
}

export type DeviceNowDocument = ReturnType<typeof deviceNowDocument>;
