import { textsOf } from "../../texts/index.js";
import { TableHead } from "../ui/table-head.js";
import type { PartProps } from "./parts.js";

/** What the plan promised and what was saved, month by month, newest first. */
export function CalibrationTable({ house: { calibration = [] }, format }: PartProps) {
  const texts = textsOf(format.language).dashboard.calibration;
  if (calibration.length === 0) return <p class="muted">{texts.none}</p>;
  return (
    <>
      <table>
        <caption>{texts.caption}</caption>
        <TableHead
          columns={[
            texts.month,
            { number: texts.promised },
            { number: texts.achieved },
            { number: texts.days },
            { number: texts.notMeasured },
          ]}
        />
        <tbody>
          {calibration.toReversed().map((month) => (
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
