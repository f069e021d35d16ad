import { localDate } from "../../core/time/zone.js";
import type { TriedOverride } from "../../plan/windows/apply-override.js";
import type { Format } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { DashboardView } from "../dashboard/view.js";
import type { SiteContext } from "../page.js";
import { FormButton } from "../ui/form.js";
import { Night } from "./night.js";
import type { Offer } from "./view.js";

/** What a target costs, when the vehicle would charge, and the button that takes it: follows the slider. */
export function offerPart(context: SiteContext, house: DashboardView, offer: Offer, format: Format) {
  const texts = textsOf(format.language).car;
  if ("refused" in offer) return <p class="error">{offer.refused}</p>;
  const { plan, cost } = offer.tried;
  const { result, settings } = plan;
  const until = plan.override?.until ?? result?.window.askedEnd;
  if (until === undefined || settings.vehicle === null) return <p>{texts.noCost}</p>;
  const slots = (result?.slots ?? []).filter(({ end }) => end > house.now);
  const pct = settings.vehicle.target_soc_pct;
  return (
    <>
      {costLines(offer.tried, house.now, format)}
      {cost !== undefined && <Night house={house} slots={slots} until={until} format={format} />}
      {offer.isInForce ? (
        <p class="muted">{texts.inForce}</p>
      ) : (
        <FormButton
          context={context}
          action="/dashboard/override"
          class="take"
          hidden={{
            slot: plan.slot,
            override: "target",
            target_soc_pct: pct,
            min_soc_pct: plan.override?.minSocPct,
            day: localDate(until, format.zone),
            until: format.fieldTime(until),
            back: "car",
          }}
        >
          {texts.take(format.number(pct, 0), format.moment(until, house.now))}
        </FormButton>
      )}
    </>
  );
}

/** Below that nothing is worth saying, kWh. */
const LEAST_KWH = 0.05;

function costLines(tried: TriedOverride, now: Date, format: Format) {
  const texts = textsOf(format.language).car;
  const { plan, cost } = tried;
  if (cost === undefined) return <p class="cost">{texts.noCost}</p>;
  const { override, atOnce } = cost;
  const slots = (plan.result?.slots ?? []).filter(({ end }) => end > now);
  const unmetKwh = (plan.result?.unmetHours ?? 0) * (plan.result?.powerKw ?? 0);
  const isNothing = override.energyKwh < LEAST_KWH;
  const [first] = slots;
  const sunKwh = slots.reduce((sum, { surplusKwh = 0 }) => sum + surplusKwh, 0);
  const parts = isNothing
    ? []
    : [
        first === undefined || first.start <= now
          ? texts.fromNow
          : texts.from(format.moment(first.start, now)),
        ...(sunKwh < LEAST_KWH ? [] : [texts.sun(format.number(sunKwh, 1))]),
      ];
  const isSame = atOnce !== undefined && Math.abs(atOnce.costEur - override.costEur) < 0.005;
  return (
    <>
      <p class="cost">
        <strong>
          {isNothing
            ? texts.nothing
            : `${format.number(override.energyKwh, 1)} kWh · ${format.number(override.costEur)} €`}
        </strong>
        {parts.length > 0 && <span>{parts.join(", ")}</span>}
      </p>
      {!isNothing && atOnce !== undefined && (
        <p class="instead">{isSame ? texts.nowSame : texts.nowInstead(format.number(atOnce.costEur))}</p>
      )}
      {unmetKwh >= LEAST_KWH && <p class="state degraded">{texts.unmet(format.number(unmetKwh, 1))}</p>}
    </>
  );
}
