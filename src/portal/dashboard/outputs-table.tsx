import { outputsDocument } from "../../documents/hours-demand.js";
import { OUTPUT_NAMES, type OutputName } from "../../plan/outputs.js";
import { reasonText } from "../../plan/reason-text.js";
import { textsOf } from "../../texts/index.js";
import { contains } from "../../time/interval.js";
import type { PartProps } from "./parts.js";
import { chargeRunsAt } from "./view.js";

/** Unit and decimals of each output; `flag` is 0 or 1, `minutes` counts with -1 for none. */
const KINDS: Record<OutputName, readonly [unit: string, decimals: number]> = {
  O1: ["flag", 0],
  O2: ["kW", 2],
  O3: ["h", 2],
  O4: ["h", 2],
  O5: ["kWh", 2],
  O6: ["minutes", 0],
  O7: ["", 0],
  O8: ["ct/kWh", 2],
  O9: ["%", 0],
  O10: ["flag", 0],
  O11: ["%", 0],
  O12: ["kW", 2],
  O13: ["flag", 0],
};

/** The outputs O1 to O13 with their names, values and reasons; nothing without a plan. */
export function OutputsTable({ house, format }: PartProps) {
  const texts = textsOf(format.language).dashboard;
  const { plan } = house;
  if (plan === undefined) return <p class="muted">{texts.outputs.noPlan}</p>;
  const values = outputsDocument(plan);
  const { current, next } = chargeRunsAt(house);
  const present = plan.days.flatMap((day) => day.hours).find((hour) => contains(hour, house.now));
  const step = current ?? present;
  const why: Partial<Record<OutputName, string>> = {
    O1: step === undefined ? "" : reasonText(step.reason, format.language),
    O6: next === undefined ? texts.headline.none : reasonText(next.reason, format.language),
    O7: texts.price.quartiles[plan.scalars.currentQuartile],
    O8: house.tariff === undefined ? texts.price.market : texts.price.allIn,
    O12: texts.cap[plan.scalars.dischargeReason],
  };
  const shown = (name: OutputName) => {
    const value = values[name];
    const [unit, decimals] = KINDS[name];
    if (unit === "flag") return value === 1 ? texts.yes : texts.no;
    if (unit === "minutes") return value === -1 ? texts.none : format.minutes(value ?? 0);
    return `${format.number(value, decimals)} ${unit}`.trim();
  };
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">{texts.outputs.output}</th>
            <th scope="col">{texts.outputs.meaning}</th>
            <th scope="col" class="number">
              {texts.outputs.value}
            </th>
          </tr>
        </thead>
        <tbody>
          {OUTPUT_NAMES.map((name) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                {texts.outputs.names[name]}
                {why[name] !== undefined && <span class="why">{why[name]}</span>}
              </td>
              <td class="number">{shown(name)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
