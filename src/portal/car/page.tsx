import { addDays, localDate } from "../../core/time/zone.js";
import { deviceLabel, slotMoment } from "../../plan/windows/slot-schedule.js";
import { type Format, formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import { choicesRow } from "../ui/choices.js";
import { Form, SubmitButton } from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import { carLink } from "../ui/links.js";
import { linkLine } from "../ui/parts.js";
import { Modes } from "./modes.js";
import { offerPart } from "./offer.js";
import type { AskedTarget, CarView } from "./view.js";
import { weekCard } from "./week-card.js";

/** The page of a car: state of charge, target with its price, the night, and how it is charged. */
export function CarPage(view: CarView) {
  const { context, plan } = view;
  const { language, site } = context;
  const texts = textsOf(language).car;
  const format = formatOf(language, site.plant.timezone);
  const vehicle = (plan.usual ?? plan.settings).vehicle;
  return (
    <Layout context={context} title={texts.title} stylesheets={["car.css"]} scripts={["client/car.js"]}>
      <Choice {...view} />
      <div class="car">
        <section class="card hero" aria-label={deviceLabel(plan.settings, context.language)}>
          <Now {...view} format={format} />
          {plan.settings.vehicle !== null && view.asked !== undefined && (
            <Target {...view} asked={view.asked} format={format} />
          )}
          {vehicle === null && (
            <>
              <p>{texts.noVehicle}</p>
              {linkLine(
                `/settings/ems/slots?site=${encodeURIComponent(site.id)}`,
                texts.enterVehicle,
                "button plain",
              )}
            </>
          )}
        </section>
        <Modes {...view} format={format} />
        {vehicle !== null && weekCard(context, plan.slot, vehicle)}
      </div>
    </Layout>
  );
}

/** One link for each wallbox where there are several. */
function Choice({ context, cars, plan }: CarView) {
  if (cars.length < 2) return null;
  return choicesRow(
    textsOf(context.language).car.choice,
    cars.map(({ slot, settings }) => ({
      href: carLink(context.site, slot),
      text: deviceLabel(settings, context.language),
      isCurrent: slot === plan.slot,
    })),
    "page",
  );
}

/** The car now: its state of charge and where that comes from. */
function Now({ context, plan, socSource, format }: CarView & { format: Format }) {
  const texts = textsOf(context.language).car;
  const { settings, plugged, socPct } = plan;
  const isCharging = slotMoment(plan, context.now)?.chargeNow === 1 && plugged !== 0;
  const state = plugged === 0 ? texts.unplugged : isCharging ? texts.charging : texts.plugged;
  return (
    <header>
      <p class="car-name">
        <span>{deviceLabel(settings, context.language)}</span>
        <span class={plugged === 0 ? "badge" : "badge good"}>{state}</span>
      </p>
      {settings.vehicle !== null && (
        <>
          <p class="soc">
            <strong>{socPct === undefined ? texts.socUnknown : `${format.number(socPct, 0)} %`}</strong>
            <span class="muted">{socSource}</span>
          </p>
          <details class="type-soc">
            <summary>{texts.typeSoc}</summary>
            <Form
              context={context}
              action="/car/soc"
              class="inline"
              label={texts.typeSoc}
              hidden={{ slot: plan.slot }}
            >
              <label>
                <span class="visually-hidden">{texts.typeSoc}</span>
                <input type="text" name="soc_pct" inputMode="decimal" autocomplete="off" size={4} required />
              </label>
              {"%"}
              <SubmitButton kind="plain">{texts.save}</SubmitButton>
            </Form>
          </details>
        </>
      )}
    </header>
  );
}

/** Least targets that are offered to be charged at once, percent. */
const LEAST_STEPS = [20, 30, 40, 50, 60, 70, 80];

/** The slider; what it costs is written below it as it moves, or by the button without scripts. */
function Target({
  context,
  house,
  plan,
  asked,
  offer,
  format,
}: CarView & { asked: AskedTarget; format: Format }) {
  const texts = textsOf(context.language).car;
  const { socPct } = plan;
  const zone = format.zone;
  const today = localDate(context.now, zone);
  const days = Array.from({ length: 8 }, (_, index) => addDays(today, index));
  const leasts = LEAST_STEPS.filter((pct) => socPct !== undefined && pct > socPct);
  return (
    <>
      <form method="get" action="/car" id="car-target" data-url="/car/offer">
        <input type="hidden" name="site" value={context.site.id} />
        <input type="hidden" name="slot" value={plan.slot} />
        <p class="slider-label">
          <label for="target">{texts.target}</label>
          <output for="target" id="target-shown">
            {`${asked.targetPct} %`}
          </output>
        </p>
        <div class="slider">
          {socBar(socPct, asked.targetPct)}
          <input
            type="range"
            id="target"
            name="target_soc_pct"
            min="0"
            max="100"
            step="1"
            value={asked.targetPct}
          />
        </div>
        <div class="when">
          <label>
            {`${texts.until} `}
            <select name="day">
              {days.map((day) => (
                <option key={day} value={day} selected={day === localDate(asked.until, zone)}>
                  {format.day(day, context.now)}
                </option>
              ))}
            </select>
          </label>
          <label>
            <span class="visually-hidden">{texts.until}</span>
            <input type="time" name="until" step={900} value={format.fieldTime(asked.until)} required />
          </label>
          {leasts.length > 0 && (
            <label>
              {`${texts.atOnce} `}
              <select name="min_soc_pct">
                <option value="">{texts.notAtOnce}</option>
                {leasts.map((pct) => (
                  <option key={pct} value={pct} selected={pct === asked.leastPct}>
                    {`${pct} %`}
                  </option>
                ))}
              </select>
            </label>
          )}
          <button type="submit" class="button plain show-cost">
            {texts.showCost}
          </button>
        </div>
      </form>
      <div id="car-offer" aria-live="polite">
        {offer !== undefined && offerPart(context, house, offer, format)}
      </div>
    </>
  );
}

/** What is in the battery of the car, and what would be charged. */
function socBar(socPct: number | undefined, targetPct: number) {
  return (
    <svg class="soc-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect class="empty" width="100" height="4" />
      <rect class="wanted" id="soc-wanted" width={targetPct} height="4" />
      <rect class="stored" width={socPct ?? 0} height="4" />
    </svg>
  );
}
