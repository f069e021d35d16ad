import type { SlotSettings, VehicleSettings } from "../../config/settings.js";
import { typedNumber } from "../../core/number-text.js";
import { textsOf } from "../../texts/index.js";
import { WEEKDAYS } from "../ems/field-text.js";
import type { FormBody } from "../form-body.js";
import type { SiteContext } from "../page.js";
import { Form, NumberField, SubmitButton } from "../ui/form.js";

/** The departures of the week, what is to be in the battery then, and what is charged at once. */
export function weekCard(context: SiteContext, slot: number, vehicle: VehicleSettings) {
  const texts = textsOf(context.language).car;
  return (
    <section class="card week">
      <h2>{texts.week}</h2>
      <p class="muted">{texts.weekText}</p>
      <Form context={context} action="/car/week" hidden={{ slot: slot }}>
        <ul class="weekdays">
          {WEEKDAYS.map((day) => (
            <li key={day}>
              <label>
                <span>{texts.weekdays[day]}</span>
                <input type="time" name={day} value={departureOn(vehicle, day)} />
              </label>
            </li>
          ))}
        </ul>
        <div class="percents">
          <NumberField
            name="target_soc_pct"
            label={texts.weekTarget}
            unit="%"
            value={vehicle.target_soc_pct}
            scope="week"
          />
          <NumberField
            name="min_soc_pct"
            label={texts.weekLeast}
            unit="%"
            value={vehicle.min_soc_pct}
            scope="week"
          />
        </div>
        <SubmitButton>{texts.save}</SubmitButton>
      </Form>
    </section>
  );
}

type Weekday = (typeof WEEKDAYS)[number];

/** The departure on a weekday as `HH:MM`; empty: none. */
export function departureOn({ departure }: Pick<VehicleSettings, "departure">, day: Weekday): string {
  return (typeof departure === "string" ? departure : departure[day]) ?? "";
}

/** The slots with the week that a form sets for one of them; undefined for a form that does not fit. */
export function slotsWithWeek(
  slots: readonly SlotSettings[],
  slot: number,
  form: FormBody,
): SlotSettings[] | undefined {
  const times = WEEKDAYS.map((day) => [day, form.text(day)] as const);
  const [target, least] = (["target_soc_pct", "min_soc_pct"] as const).map((name) =>
    typedNumber(form.text(name)),
  );
  const isTime = ([, time]: readonly [Weekday, string]) =>
    time === "" || /^([01]\d|2[0-3]):[0-5]\d$/.test(time);
  const isPct = (value: number | undefined) => Number.isInteger(value) && value! >= 0 && value! <= 100;
  if (!times.every(isTime) || times.every(([, time]) => time === "")) return undefined;
  if (!isPct(target) || !isPct(least) || least! > target!) return undefined;
  const [[, first]] = times as [readonly [Weekday, string]];
  const departure = times.every(([, time]) => time === first)
    ? first
    : (Object.fromEntries(
        times.map(([day, time]) => [day, time === "" ? null : time]),
      ) as VehicleSettings["departure"]);
  return slots.map((one) =>
    one.slot === slot && one.vehicle !== null
      ? {
          ...one,
          vehicle: { ...one.vehicle, departure, target_soc_pct: target!, min_soc_pct: least! },
        }
      : one,
  );
}
