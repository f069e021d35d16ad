import type { HistoryDay, HistoryPeriod } from "../../api/documents/history.js";
import { deviceEnergies, type HistoryRow, rowOf } from "../../api/documents/history.js";
import type { Site } from "../../config/site.js";
import { localDate } from "../../core/time/zone.js";
import type { ForecastQuality } from "../../forecast/price/day-record.js";
import type { ForecastErrors } from "../../money/ledger/forecast-errors.js";
import type { TelemetryService } from "../../telemetry/service.js";
import type { Format } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import { Scroll } from "../ui/scroll.js";
import { TableHead } from "../ui/table-head.js";

/** What the page shows of a period. */
export interface HistoryData {
  site: Site;
  period: HistoryPeriod;
  /** A local day of the period. */
  date: string;
  days: readonly HistoryDay[];
  /** Hours of a day, days of a week or month, months of a year. */
  rows: readonly HistoryRow[];
  quality: { last: ForecastErrors; before: ForecastErrors };
  /** Of daily energy, by day of the forecast. */
  qualityByDay: ForecastQuality;
  /** Readings that were not used since the start, newest first. */
  leftOut: ReturnType<TelemetryService["leftOut"]>;
}

const ENERGIES = ["pv", "load", "import", "export", "charge", "discharge"] as const;
const AMOUNTS = [
  ["cost", "costEur"],
  ["uncontrolled", "uncontrolledEur"],
  ["noBattery", "noBatteryEur"],
  ["saved", "savedEur"],
] as const;

interface TableProps {
  data: HistoryData;
  format: Format;
}

/** The values of the charts; the amounts of days, or the state of charge of hours. */
export function HistoryTable({ data: { period, rows, days }, format }: TableProps) {
  const { history: texts } = textsOf(format.language);
  const { columns } = texts;
  const isDay = period === "day";
  const first = isDay ? columns.hour : period === "year" ? columns.month : columns.day;
  const cells = (row: HistoryRow) => [
    ...ENERGIES.map((name) => format.number(row[name], period === "year" ? 0 : isDay ? 2 : 1)),
    format.number(row.priceCtKwh, 1),
    ...(isDay
      ? [format.number(row.plannedSocPct, 0), format.number(row.socPct, 0)]
      : AMOUNTS.map(([, name]) => format.number(row.amounts?.[name]))),
  ];
  const further = isDay ? [columns.plannedSoc, columns.soc] : AMOUNTS.map(([name]) => columns[name]);
  return (
    <Scroll>
      <table>
        <caption>{texts.inKwh}</caption>
        <TableHead
          columns={[
            first,
            ...[...ENERGIES.map((name) => columns[name]), columns.price, ...further].map((number) => ({
              number,
            })),
          ]}
        />
        <tbody>
          {rows.map((row) => (
            <tr key={row.key}>
              <th scope="row">{labelOf(row.key, format)}</th>
              {cells(row).map((text, index) => (
                <td key={index} class="number">
                  {text}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr class="total">
            <th scope="row">{texts.sum}</th>
            {cells(rowOf("", days)).map((text, index) => (
              <td key={index} class="number">
                {text}
              </td>
            ))}
          </tr>
        </tfoot>
      </table>
    </Scroll>
  );
}

/** `13:00` of an hour, `Wed 14/01` of a day, `January` of a month. */
function labelOf(key: string, format: Format): string {
  if (key.includes("T")) return format.time(new Date(key));
  const { locale } = textsOf(format.language).format;
  const isMonth = key.length === 7;
  const at = new Date(isMonth ? `${key}-01T00:00:00Z` : `${key}T00:00:00Z`);
  const parts: Intl.DateTimeFormatOptions = isMonth
    ? { month: "long" }
    : { weekday: "short", day: "numeric", month: "numeric" };
  return new Intl.DateTimeFormat(locale, { ...parts, timeZone: "UTC" }).format(at);
}

/** Energy of the devices that are metered. */
export function DeviceTable({ data: { days, site }, format }: TableProps) {
  const { history: texts } = textsOf(format.language);
  const energies = deviceEnergies(days);
  if (energies.size === 0) return <p class="muted">{texts.noDevices}</p>;
  const label = (slot: number) => site.plant.slots.find((one) => one.slot === slot)?.label ?? `${slot}`;
  return (
    <table>
      <TableHead columns={[texts.device, { number: texts.energy }]} />
      <tbody>
        {[...energies].map(([slot, kwh]) => (
          <tr key={slot}>
            <th scope="row">{label(slot)}</th>
            <td class="number">{format.number(kwh, 2)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Errors of the forecasts for the next day, of the last 30 days and the 30 before. */
export function QualityTable({ quality, format }: { quality: HistoryData["quality"]; format: Format }) {
  const { history: texts } = textsOf(format.language);
  const periods = [quality.last, quality.before];
  const names = ["price", "pv", "load"] as const;
  if (periods.every((errors) => names.every((name) => errors[name] === undefined)))
    return <p class="muted">{texts.qualityNone}</p>;
  return (
    <>
      <Scroll>
        <table>
          <TableHead columns={[texts.quantity, { number: texts.last }, { number: texts.before }]} />
          <tbody>
            {names.map((name) => (
              <tr key={name}>
                <th scope="row">{texts.quantities[name]}</th>
                {periods.map((errors, index) => (
                  <td key={index} class="number">
                    {format.number(errors[name]?.mae)}
                    {errors[name] !== undefined && (
                      <span class="why">{texts.hours(format.number(errors[name].hours, 0))}</span>
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <p class="muted">{texts.qualityNote}</p>
    </>
  );
}

/** Errors of the forecasts of daily energy, by day of the forecast; nothing before the first comparison. */
export function DayQualityTables({ quality, format }: { quality: ForecastQuality; format: Format }) {
  const { history: texts } = textsOf(format.language);
  const compared = (["load", "pv"] as const).filter((name) => quality[name].length > 0);
  if (compared.length === 0) return null;
  const { error, bias, coverage, days } = texts.byDay;
  return (
    <>
      {compared.map((name) => (
        <div key={name}>
          <h3>{texts.byDay.titles[name]}</h3>
          <div class="scroll">
            <table>
              <TableHead
                columns={[
                  texts.byDay.day,
                  { number: error },
                  { number: bias },
                  { number: coverage },
                  { number: days },
                ]}
              />
              <tbody>
                {quality[name].map(({ day, maeKwh, biasKwh, meanKwh, coverage, days }) => (
                  <tr key={day}>
                    <th scope="row">{day}</th>
                    <td class="number">
                      {format.number(maeKwh)}
                      {meanKwh > 0 && (
                        <span class="why">{`${format.number((100 * maeKwh) / meanKwh, 0)} %`}</span>
                      )}
                    </td>
                    <td class="number">{format.number(biasKwh)}</td>
                    <td class="number">{`${format.number(100 * coverage, 0)} %`}</td>
                    <td class="number">{days}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </div>
      ))}
      <p class="muted">{texts.byDay.note}</p>
    </>
  );
}

/** The readings that were not used, with their raw values. */
export function LeftOutTable({ data: { leftOut }, format }: TableProps) {
  const { leftOut: texts } = textsOf(format.language).history;
  const { time, reading, value } = texts.columns;
  return (
    <section class="card">
      <h2>{texts.title}</h2>
      <p class="muted">{texts.note(leftOut.count)}</p>
      <Scroll>
        <table>
          <caption>{texts.caption}</caption>
          <TableHead columns={[time, reading, { number: value }]} />
          <tbody>
            {leftOut.last.map((one) => (
              <tr key={`${one.reading} ${one.at.getTime()} ${one.value}`}>
                <th scope="row">{`${format.date(localDate(one.at, format.zone))} ${format.time(one.at)}`}</th>
                <td>{one.reading}</td>
                <td class="number">{format.number(one.value, 3)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}
