import { setImmediate as nextTurn } from "node:timers/promises";
import type { Services } from "../../api/services.js";
import type { SlotSettings } from "../../config/settings.js";
import type { Site } from "../../config/site.js";
import { floorTo, MINUTE_MS } from "../../core/domain/interval.js";
import { type SlotNumber, slotNumber } from "../../core/domain/slot.js";
import { typedNumber } from "../../core/number-text.js";
import { parseTime } from "../../core/time/zone.js";
import { BATTERY_OVERRIDE_ACTIONS, type BatteryOverrideRequest } from "../../plan/battery-override.js";
import { PlanInputError } from "../../plan/overrides.js";
import type { TriedOverride } from "../../plan/windows/apply-override.js";
import { OVERRIDE_ACTIONS, type OverrideRequest } from "../../plan/windows/override.js";
import { FlexInputError } from "../../plan/windows/request.js";
import { nextTime, usualEnd } from "../../plan/windows/usual-end.js";
import { FormBody } from "../form-body.js";
import { batteryActions } from "./override-forms.js";
import type { OverrideCosts } from "./view.js";

/** The field of the form that the plant's settings or the present state do not allow. */
export type RefusedField = "until" | "target_soc_pct" | "min_soc_pct" | "energy_kwh" | "override" | "slot_id";

type OverrideServices = Pick<Services, "clock" | "flex" | "plans" | "devicePlans">;

/** An override that a form asks for, of a slot or of the battery. */
type AskedOverride =
  | { slot: "battery"; request: BatteryOverrideRequest }
  | { slot: SlotNumber; settings: SlotSettings; request: OverrideRequest };

/** What an override would do and cost. */
export type ShownOverride =
  | { slot: "battery"; request: BatteryOverrideRequest; moreEur: number | undefined }
  | { slot: SlotNumber; settings: SlotSettings; request: OverrideRequest; tried: TriedOverride };

/** `done`; `unknown`: the form does not name an action of the plant; else the field that does not fit. */
export type OverrideOutcome = "done" | "unknown" | RefusedField;

/** Carries out the form of an override of a device or of the battery. Throws StoreError. */
export async function takeOverride(
  services: OverrideServices,
  site: Site,
  form: FormBody,
): Promise<OverrideOutcome> {
  const asked = askedOverride(services, site, form);
  if (typeof asked === "string") return asked;
  try {
    if (asked.slot === "battery") await services.plans.override(site.id, asked.request);
    else await services.flex.sites.of(site.id).override(asked.slot, asked.request);
    return "done";
  } catch (error) {
    return refusedField(error);
  }
}

/** What the override of a form would do and cost; a text where the form is refused, as in `takeOverride`. */
export async function tryForm(
  services: OverrideServices,
  site: Site,
  form: FormBody,
): Promise<ShownOverride | Exclude<OverrideOutcome, "done">> {
  const asked = askedOverride(services, site, form, { isShown: true });
  if (typeof asked === "string") return asked;
  try {
    return asked.slot === "battery"
      ? { ...asked, moreEur: await services.plans.overrideCostEur(site.id, asked.request) }
      : { ...asked, tried: await services.devicePlans.tryOverride(site.id, asked.slot, asked.request) };
  } catch (error) {
    return refusedField(error);
  }
}

/** The field of a form that an error names. Rethrows any other error. */
function refusedField(error: unknown): RefusedField {
  if (error instanceof FlexInputError || error instanceof PlanInputError) return error.field as RefusedField;
  throw error;
}

/** `isShown`: it is shown before it is confirmed; a time or an amount that only its user can know may still be missing. */
function askedOverride(
  { clock, flex }: OverrideServices,
  site: Site,
  form: FormBody,
  { isShown = false } = {},
): AskedOverride | "unknown" | RefusedField {
  const time = form.text("until");
  const until = time === "" ? undefined : timeOf(form, site.plant.timezone, clock.now());
  if (time !== "" && until === undefined) return "until";
  if (form.text("slot") === "battery") {
    const action = BATTERY_OVERRIDE_ACTIONS.find((one) => one === form.text("override"));
    if (action === undefined) return "unknown";
    return isNumber(form, "target_soc_pct")
      ? { slot: "battery", request: { action, until, targetSocPct: numberIn(form, "target_soc_pct") } }
      : "target_soc_pct";
  }
  const slot = slotNumber(form.text("slot"));
  const action = OVERRIDE_ACTIONS.find((one) => one === form.text("override"));
  const settings = slot && flex.sites.of(site.id).settings(slot);
  if (slot === undefined || action === undefined || settings === undefined) return "unknown";
  const wrong = (["target_soc_pct", "min_soc_pct", "energy_kwh"] as const).find(
    (field) => !isNumber(form, field),
  );
  if (wrong !== undefined) return wrong;
  const plan = flex.current(site.id).find((one) => one.slot === slot);
  if (action === "full" && until === undefined && !isShown) return "unknown";
  const end = until ?? usualEnd(action, plan, { zone: site.plant.timezone, now: clock.now() });
  const request = {
    action,
    until: end,
    targetSocPct: numberIn(form, "target_soc_pct"),
    minSocPct: numberIn(form, "min_soc_pct"),
    energyKwh: numberIn(form, "energy_kwh") ?? (isShown && action === "guest" ? USUAL_GUEST_KWH : undefined),
  };
  return { slot, settings, request };
}

/** What a guest gets where the form names nothing: about 60 km. */
const USUAL_GUEST_KWH = 10;

/** The number in a field; undefined for an empty one. */
function numberIn(form: FormBody, field: string): number | undefined {
  const text = form.text(field);
  return text === "" ? undefined : typedNumber(text);
}

const isNumber = (form: FormBody, field: string) =>
  form.text(field) === "" || numberIn(form, field) !== undefined;

/** The time of a form on its day, else the next moment with that time. */
function timeOf(form: FormBody, zone: string, now: Date): Date | undefined {
  const [day, time] = [form.text("day"), form.text("until")];
  if (day === "") return nextTime(time, zone, now);
  return /^\d{4}-\d{2}-\d{2}$/.test(day) && TIME.test(time) ? parseTime(`${day}T${time}`, zone) : undefined;
}

const TIME = /^\d{2}:\d{2}$/;

type RunServices = Pick<Services, "clock" | "flex" | "plans" | "devicePlans">;

/** How long a cost is shown before it is computed again. */
const KEPT_MS = 5 * MINUTE_MS;

/** What the overrides by one tap would cost, for the buttons; computed every five minutes and with each plan. */
export class RunCosts {
  readonly #services: RunServices;
  readonly #cache = new WeakMap<Site, { key: string; costs: Promise<OverrideCosts> }>();

  constructor(services: RunServices) {
    this.#services = services;
  }

  of(site: Site): Promise<OverrideCosts> {
    const { clock, plans } = this.#services;
    const issuedMs = plans.current(site.id)?.issuedAt.getTime() ?? 0;
    const key = `${floorTo(clock.now().getTime(), KEPT_MS)} ${issuedMs}`;
    const cached = this.#cache.get(site);
    if (cached?.key === key) return cached.costs;
    const costs = this.#compute(site);
    this.#cache.set(site, { key, costs });
    costs.catch(() => this.#cache.delete(site));
    return costs;
  }

  async #compute(site: Site): Promise<OverrideCosts> {
    const costs = new Map<number | "charge" | "hold", number>();
    for (const { slot } of this.#services.flex.current(site.id)) {
      const shown = await this.#try(site, String(slot), "run");
      if (shown === undefined || shown.slot === "battery" || shown.tried.cost === undefined) continue;
      costs.set(slot, shown.tried.cost.override.costEur);
    }
    for (const action of batteryActions(site)) {
      // Each computes plans, which block the event loop.
      await nextTurn();
      const shown = await this.#try(site, "battery", action);
      if (shown?.slot === "battery" && shown.moreEur !== undefined) costs.set(action, shown.moreEur);
    }
    return costs;
  }

  async #try(site: Site, slot: string, override: string) {
    const found = await tryForm(this.#services, site, new FormBody(new URLSearchParams({ slot, override })));
    return typeof found === "object" ? found : undefined;
  }
}
