import { outputsDocument } from "../../api/documents/hours-demand.js";
import {
  OUTPUT_FIELDS,
  OUTPUT_NAMES,
  type OutputName,
  planField,
} from "../../core/domain/plan-field-lists.js";
import { presentAction, presentRuns } from "../../plan/headline.js";
import { reasonText } from "../../plan/reason-text.js";
import { textsOf } from "../../texts/index.js";
import { Scroll } from "../ui/scroll.js";
import { TableHead } from "../ui/table-head.js";
import type { PartProps } from "./view.js";

/** Displayed unit and decimals of a value. */
const FORMATS: Readonly<Record<string, readonly [unit: string, decimals: number]>> = {
  quartile: ["", 0],
  h: ["h", 2],
  kW: ["kW", 2],
  kWh: ["kWh", 2],
  "%": ["%", 0],
  "ct/kWh": ["ct/kWh", 2],
};

/** The outputs with names, values and reasons; empty without a plan. */
export function OutputsTable({ house, format }: PartProps) {
  const { dashboard: texts, planFields } = textsOf(format.language);
  const { plan } = house;
  if (plan === undefined) return <p class="muted">{texts.outputs.noPlan}</p>;
  const values = outputsDocument(plan);
  const { current, next } = presentRuns(house.plan, house.now);
  const step = current ?? presentAction(plan, house.now);
  const why: Partial<Record<OutputName, string>> = {
    O1: step === undefined ? "" : reasonText(step.reason, format),
    ...(plan.scalars.chargeNow === 0 && {
      O6: next === undefined ? texts.headline.none : reasonText(next.reason, format),
    }),
    O7: texts.price.quartiles[plan.scalars.currentQuartile],
    O8: house.tariff === undefined ? texts.price.market : texts.price.allIn,
    O12: texts.cap[plan.scalars.dischargeReason],
    O14: texts.chargeCap[plan.scalars.chargeCapReason],
  };
  const shown = (name: OutputName) => {
    const value = values[name];
    const { kind } = planField(OUTPUT_FIELDS[name]);
    if (value === null) return texts.none;
    if (kind === "flag" || kind === "boolean") return value === 1 ? texts.yes : texts.no;
    if (kind === "min")
      return plan.scalars.chargeNow === 1
        ? texts.outputs.now
        : value === -1
          ? texts.none
          : format.minutes(value ?? 0);
    const [unit, decimals] = FORMATS[String(kind)] ?? ["", 2];
    return `${format.number(value, decimals)} ${unit}`.trim();
  };
  return (
    <Scroll>
      <BatteriesTable house={house} format={format} />
      <table>
        <TableHead columns={[texts.outputs.output, texts.outputs.meaning, { number: texts.outputs.value }]} />
        <tbody>
          {OUTPUT_NAMES.map((name) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                {planFields[OUTPUT_FIELDS[name]].portal}
                {why[name] !== undefined && <span class="why">{why[name]}</span>}
              </td>
              <td class="number">{shown(name)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** The parts of several batteries; nothing for a single one. */
function BatteriesTable({ house, format }: PartProps) {
  const texts = textsOf(format.language).dashboard.batteries;
  const parts = house.plan?.batteries;
  if (parts === undefined) return null;
  const kw = (value: number) => `${format.number(value, 2)} kW`;
  return (
    <table aria-label={texts.title}>
      <thead>
        <tr>
          <th scope="col">{texts.name}</th>
          {[texts.soc, texts.charging, texts.dischargeCap, texts.chargeCap].map((title) => (
            <th key={title} scope="col" class="number">
              {title}
            </th>
          ))}
          <th scope="col">{texts.follows}</th>
        </tr>
      </thead>
      <tbody>
        {parts.map((part) => (
          <tr key={part.id}>
            <th scope="row">{part.label}</th>
            <td class="number">
              {`${format.number(part.socPct, 0)} %`}
              {part.socStale && <span class="why">{texts.stale}</span>}
            </td>
            <td class="number">{kw(part.chargePowerKw)}</td>
            <td class="number">{kw(part.dischargePowerKw)}</td>
            <td class="number">{kw(part.chargeCapKw)}</td>
            <td>{texts.states[part.following]}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
