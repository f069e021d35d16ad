import type { Site } from "../../config/site.js";
import { ceilTo, floorTo, QUARTER_MS } from "../../core/domain/interval.js";
import { type Format, formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import type { FormBody } from "../form-body.js";
import { Form, Notice, SubmitButton } from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import type { AskedOverride, OverrideCost } from "./take-override.js";

interface OverridePageProps {
  context: SignedInContext;
  site: Site;
  asked: AskedOverride;
  cost: OverrideCost;
  form: FormBody;
}

/** What an override changes and costs, before it is confirmed. */
export function OverridePage({ context, site, asked, cost, form }: OverridePageProps) {
  const { overrideCost: texts } = textsOf(context.language).dashboard;
  const format = formatOf(context.language, site.plant.timezone);
  const fields = ["slot", "override", "until", "target_soc_pct", "back"] as const;
  return (
    <Layout context={context} title={texts.title}>
      <p>{changeText(asked, { site, context, format })}</p>
      <Notice kind="info">{costText(asked, cost, format)}</Notice>
      <Form context={context} action="/dashboard/override">
        {fields.map((name) =>
          form.text(name) === "" ? null : <input type="hidden" name={name} value={form.text(name)} />,
        )}
        <SubmitButton>{texts.confirm}</SubmitButton>
        <a class="button plain" href={placeOfOverride(form, site.id)}>
          {texts.cancel}
        </a>
      </Form>
    </Layout>
  );
}

/** The page that an override belongs to: the overview, or that of the devices. */
export function placeOfOverride(form: FormBody, siteId: string): string {
  const path = form.text("back") === "devices" ? "/devices" : "/dashboard";
  return `${path}?site=${encodeURIComponent(siteId)}#slots`;
}

/** What happens until when. */
function changeText(
  asked: AskedOverride,
  { site, context, format }: { site: Site; context: SignedInContext; format: Format },
): string {
  const { overrideCost: texts } = textsOf(context.language).dashboard;
  const { until } = asked.request;
  // As it is set: a deadline is not put off, everything else ends on the next quarter-hour.
  const round = asked.request.action === "full" ? floorTo : ceilTo;
  const end = until && format.moment(new Date(round(until.getTime(), QUARTER_MS)), context.now);
  if (asked.slot === "battery") {
    const { action, targetSocPct } = asked.request;
    const pct = targetSocPct ?? site.plant.battery?.max_soc_pct;
    return action === "charge" ? texts.charge(format.number(pct, 0), end) : texts.hold(end);
  }
  return texts.device[asked.request.action](asked.label, end);
}

function costText(asked: AskedOverride, cost: OverrideCost, format: Format): string {
  const { overrideCost: texts } = textsOf(format.language).dashboard;
  if (cost.kind === "battery") {
    if (cost.moreEur === undefined) return texts.unknown;
    return cost.moreEur < 0.005 ? texts.noMore : texts.more(format.number(cost.moreEur));
  }
  if (cost.cost === undefined) return texts.unknown;
  const { override, plan } = cost.cost;
  const shown = (of: { energyKwh: number; costEur: number }) =>
    [format.number(of.energyKwh, 1), format.number(of.costEur)] as const;
  if (asked.request.action === "skip")
    return plan.energyKwh < 0.05 ? texts.nothingPlanned : texts.skipped(...shown(plan));
  if (plan.energyKwh < 0.05) return texts.notPlanned(...shown(override));
  return plan.energyKwh < override.energyKwh - 0.05
    ? texts.partly(...shown(override), ...shown(plan))
    : texts.compared(...shown(override), format.number(plan.costEur));
}
