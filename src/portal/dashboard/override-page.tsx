import type { Site } from "../../config/site.js";
import { ceilTo, DAY_MS, QUARTER_MS } from "../../core/domain/interval.js";
import { localDate } from "../../core/time/zone.js";
import { batteryCostText } from "../../plan/battery-override.js";
import { deviceLabel } from "../../plan/windows/slot-schedule.js";
import { type Format, formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import type { FormBody } from "../form-body.js";
import { Form, hiddenFields, Notice, SubmitButton } from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import { carLink } from "../ui/links.js";
import { linkButton } from "../ui/parts.js";
import type { ShownOverride } from "./take-override.js";

interface OverridePageProps {
  context: SignedInContext;
  site: Site;
  shown: ShownOverride;
  form: FormBody;
}

/** Fields that say which override it is, and those that its user may change before it is confirmed. */
const NAMED = ["slot", "override", "back"] as const;
const VALUES = ["target_soc_pct", "min_soc_pct"] as const;

/** What an override changes and costs, before it is confirmed; its time and amount can still be changed. */
export function OverridePage({ context, site, shown, form }: OverridePageProps) {
  const { overrideCost: texts } = textsOf(context.language).dashboard;
  const format = formatOf(context.language, site.plant.timezone);
  return (
    <Layout context={context} title={texts.title} stylesheets={["car.css"]}>
      <section class="card confirm">
        <p>{changeText(shown, { site, context, format })}</p>
        <Notice kind="info">{costText(shown, format)}</Notice>
        <ChangeForm site={site} shown={shown} form={form} context={context} format={format} />
        <Form
          context={context}
          action="/dashboard/override"
          hidden={confirmed({ shown, site, form, context, format })}
        >
          <div class="actions">
            <SubmitButton>{texts.confirm}</SubmitButton>
            {linkButton(placeOfOverride(form, site.id), texts.cancel, "button plain")}
          </div>
        </Form>
      </section>
    </Layout>
  );
}

/** The fields of what is confirmed: as it is shown, its end too. */
function confirmed({ shown, site, form, context, format }: OverridePageProps & { format: Format }) {
  const end = endOf(shown, context.now);
  const guestKwh = shown.slot === "battery" ? undefined : shown.request.energyKwh;
  return {
    ...valuesOf(form, [...NAMED, ...VALUES]),
    energy_kwh: guestKwh,
    day: localDate(end, site.plant.timezone),
    until: format.fieldTime(end),
  };
}

/** The fields of a form that have a value. */
function valuesOf(form: FormBody, names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, form.text(name) || undefined]));
}

/** Another time or amount, of which the cost is shown next. */
function ChangeForm({
  context,
  site,
  shown,
  form,
  format,
}: OverridePageProps & { format: Format; context: SignedInContext }) {
  const { overrideCost: texts } = textsOf(context.language).dashboard;
  const { action } = shown.request;
  if (action === "auto") return null;
  const pct = targetOf(shown, site);
  return (
    <form method="get" action="/dashboard/override" class="change">
      {hiddenFields({ site: site.id, ...valuesOf(form, NAMED) })}
      {pct !== undefined && (
        <NumberInput name="target_soc_pct" label={texts.upTo} unit="%" value={String(pct)} />
      )}
      {action === "guest" && (
        <NumberInput
          name="energy_kwh"
          label={texts.energy}
          unit="kWh"
          value={format.number(shown.request.energyKwh, 0)}
        />
      )}
      <label>
        {`${texts.until} `}
        <input type="time" name="until" value={format.fieldTime(endOf(shown, context.now))} required />
      </label>
      <button type="submit" class="button plain">
        {texts.showCost}
      </button>
    </form>
  );
}

function NumberInput(props: { name: string; label: string; unit: string; value: string }) {
  return (
    <label>
      {`${props.label} `}
      <input
        type="text"
        name={props.name}
        inputMode="decimal"
        size={4}
        value={props.value}
        autocomplete="off"
        required
      />
      {` ${props.unit}`}
    </label>
  );
}

/** The page that an override belongs to: the overview, that of the devices, or that of the car. */
export function placeOfOverride(form: FormBody, siteId: string): string {
  const back = form.text("back");
  if (back === "car") return carLink({ id: siteId }, form.text("slot"));
  return `${back === "devices" ? "/devices" : "/dashboard"}?site=${encodeURIComponent(siteId)}#slots`;
}

/** The end of an override as it would be set. */
function endOf(shown: ShownOverride, now: Date): Date {
  const battery = () => shown.request.until ?? new Date(now.getTime() + DAY_MS);
  const until = shown.slot === "battery" ? battery() : (shown.tried.plan.override?.until ?? battery());
  return new Date(ceilTo(until.getTime(), QUARTER_MS));
}

/** The state of charge up to which an override charges, percent; undefined for one without. */
function targetOf(shown: ShownOverride, site: Site): number | undefined {
  const { action, targetSocPct } = shown.request;
  if (action === "charge") return targetSocPct ?? site.plant.battery?.max_soc_pct;
  const vehicle = shown.slot === "battery" ? null : shown.tried.plan.settings.vehicle;
  return action === "target" ? vehicle?.target_soc_pct : undefined;
}

/** What happens until when. */
function changeText(
  shown: ShownOverride,
  { site, context, format }: { site: Site; context: SignedInContext; format: Format },
): string {
  const { overrideCost: texts } = textsOf(context.language).dashboard;
  const end = format.moment(endOf(shown, context.now), context.now);
  const pct = format.number(targetOf(shown, site), 0);
  if (shown.slot === "battery")
    return shown.request.action === "charge" ? texts.charge(pct, end) : texts.hold(end);
  const { settings, request } = shown;
  const label = deviceLabel(settings, context.language);
  switch (request.action) {
    case "target":
      return texts.target(label, pct, end);
    case "guest":
      return texts.guest(label, format.number(request.energyKwh, 1), end);
    default:
      return texts.device[request.action](label, end);
  }
}

function costText(shown: ShownOverride, format: Format): string {
  const { overrideCost: texts } = textsOf(format.language).dashboard;
  if (shown.slot === "battery") {
    return shown.moreEur === undefined ? texts.unknown : batteryCostText(shown.moreEur, format);
  }
  const { cost } = shown.tried;
  if (cost === undefined) return texts.unknown;
  const { override, plan, atOnce } = cost;
  const words = (of: { energyKwh: number; costEur: number }) =>
    [format.number(of.energyKwh, 1), format.number(of.costEur)] as const;
  if (shown.request.action === "skip")
    return plan.energyKwh < 0.05 ? texts.nothingPlanned : texts.skipped(...words(plan));
  const isNothing = override.energyKwh < 0.05;
  if (shown.request.action === "surplus" && isNothing)
    return plan.energyKwh < 0.05 ? texts.noSun : `${texts.noSun} ${texts.skipped(...words(plan))}`;
  // The plan is for another vehicle.
  if (shown.request.action === "guest") {
    const now = atOnce && texts.atOnce(format.number(atOnce.costEur));
    return [texts.costs(...words(override)), now].join(" ").trim();
  }
  if (plan.energyKwh < 0.05) return texts.notPlanned(...words(override));
  return plan.energyKwh < override.energyKwh - 0.05
    ? texts.partly(...words(override), ...words(plan))
    : texts.compared(...words(override), format.number(plan.costEur));
}
