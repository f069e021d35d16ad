import { textsOf } from "../../texts/index.js";
import type { PartProps } from "./parts.js";

/** What the plan promised and what was saved, month by month, newest first. */
export function CalibrationTable({ house, format }: PartProps) {
  const texts = textsOf(format.language).dashboard.calibration;
  if (house.calibration.length === 0) return <p class="muted">{texts.none}</p>;
  return (
    <>
      <table>
        <caption>{texts.caption}</caption>
        <thead>
          <tr>
            <th scope="col">{texts.month}</th>
            <th scope="col" class="number">
              {texts.promised}
            </th>
            <th scope="col" class="number">
              {texts.achieved}
            </th>
            <th scope="col" class="number">
              {texts.days}
            </th>
            <th scope="col" class="number">
              {texts.notMeasured}
            </th>
          </tr>
        </thead>
        <tbody>
          {house.calibration.toReversed().map((month) => (
            <tr key={month.month}>
              <th scope="row">{month.month}</th>
              <td class="number">{format.number(month.promisedEur)}</td>
              <td class="number">{format.number(month.achievedEur)}</td>
              <td class="number">{format.number(month.days, 0)}</td>
              <td class="number">{format.number(month.daysWithoutTelemetry, 0)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="muted">{texts.explanation}</p>
    </>
  );
}
