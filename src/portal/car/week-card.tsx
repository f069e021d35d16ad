import type { VehicleSettings } from "../../config/settings.js";
import { textsOf } from "../../texts/index.js";
import { WEEKDAYS } from "../ems/field-text.js";
import type { SiteContext } from "../page.js";
import { Form, NumberField, SubmitButton } from "../ui/form.js";
import { departureOn } from "./week.js";

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
