import {
  deviceEnergies,
  type HistoryDay,
  type HistoryPeriod,
  type HistoryRow,
  rowOf,
} from "../../api/documents/history.js";
import type { Site } from "../../config/site.js";
import { HOUR_MS } from "../../core/domain/interval.js";
import { localDate } from "../../core/time/zone.js";
import type { ForecastQuality } from "../../forecast/price/day-record.js";
import type { ForecastErrors } from "../../money/ledger/forecast-errors.js";
import { deviceLabel } from "../../plan/windows/slot-schedule.js";
import type { TelemetryService } from "../../telemetry/service.js";
import type { Format } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import { whyLink } from "../ui/links.js";
import { columnsOf, DataTable } from "../ui/table.js";

/** What the page shows of a period. */
export interface HistoryData {
  site: Site;
  period: HistoryPeriod;
  /** A local day of the period. */
  date: string;
  /** Local date of the first reading; links do not lead before it. */
  first: string;
  now: Date;
  /** The chart shows amounts. */
  isMoney: boolean;
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
export function HistoryTable({ data: { site, period, rows, days, now }, format }: TableProps) {
  const hasPassed = (key: string) => Date.parse(key) + HOUR_MS <= now.getTime();
  const { history: texts } = textsOf(format.language);
  const { columns } = texts;
  const isDay = period === "day";
  const first = isDay ? columns.hour : period === "year" ? columns.month : columns.day;
  const decimals = period === "year" ? 0 : isDay ? 2 : 1;
  const { number } = columnsOf<HistoryRow>();
  const numbers = [
    ...ENERGIES.map((name) => number(columns[name], (row) => format.number(row[name], decimals))),
    number(columns.price, (row) => format.number(row.priceCtKwh, 1)),
    ...(isDay
      ? [
          number(columns.plannedSoc, ({ plannedSocPct }) => format.number(plannedSocPct, 0)),
          number(columns.soc, ({ socPct }) => format.number(socPct, 0)),
        ]
      : AMOUNTS.map(([name, key]) => number(columns[name], ({ amounts }) => format.number(amounts?.[key])))),
  ];
  const sum = rowOf("", days);
  return (
    <DataTable
      caption={texts.inKwh}
      rows={rows}
      rowClass={(row) => (row.isEarlier ? "muted" : undefined)}
      columns={(col) => [
        col.head(first, ({ key }) => (
          <>
            {labelOf(key, format)}
            {isDay && hasPassed(key) && (
              <>
                {" "}
                <a href={whyLink(site, new Date(key))}>{texts.why}</a>
              </>
            )}
          </>
        )),
        ...numbers,
      ]}
      sums={{ label: texts.sum, numbers: numbers.map(({ cell }) => cell(sum)) }}
    />
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

/** Energy of the devices that are metered, as bars. */
export function DeviceBars({ data: { days, site }, format }: TableProps) {
  const { history: texts } = textsOf(format.language);
  const energies = [...deviceEnergies(days)];
  if (energies.length === 0) return <p class="muted">{texts.noDevices}</p>;
  const most = Math.max(0.001, ...energies.map(([, kwh]) => kwh));
  const label = (slot: number) => {
    const settings = site.plant.slots.find((one) => one.slot === slot);
    return settings === undefined ? texts.removedDevice : deviceLabel(settings, format.language);
  };
  return (
    <ul class="energies">
      {energies.map(([slot, kwh]) => (
        <li key={slot}>
          <span>{label(slot)}</span>
          <span>{`${format.number(kwh, 1)} kWh`}</span>
          <progress max={most} value={Math.max(0, kwh)} aria-label={label(slot)} />
        </li>
      ))}
    </ul>
  );
}

/** Errors of the forecasts for the next day, of the last 30 days and the 30 before. */
export function qualityTable(quality: HistoryData["quality"], format: Format) {
  const { history: texts } = textsOf(format.language);
  const columns = [
    [texts.last, quality.last],
    [texts.before, quality.before],
  ] as const;
  const names = ["price", "pv", "load"] as const;
  if (columns.every(([, errors]) => names.every((name) => errors[name] === undefined)))
    return <p class="muted">{texts.qualityNone}</p>;
  return (
    <>
      <DataTable
        rows={names}
        columns={(col) => [
          col.head(texts.quantity, (name) => texts.quantities[name]),
          ...columns.map(([label, errors]) =>
            col.number(label, (name) => (
              <>
                {format.number(errors[name]?.mae)}
                {errors[name] !== undefined && (
                  <span class="why">{texts.hours(format.number(errors[name].hours, 0))}</span>
                )}
              </>
            )),
          ),
        ]}
      />
      <p class="muted">{texts.qualityNote}</p>
    </>
  );
}

/** Errors of the forecasts of daily energy, by day of the forecast; nothing before the first comparison. */
export function dayQualityTables(quality: ForecastQuality, format: Format) {
  const { history: texts } = textsOf(format.language);
  const compared = (["load", "pv"] as const).filter((name) => quality[name].length > 0);
  if (compared.length === 0) return null;
  const { error, bias, coverage, days } = texts.byDay;
  return (
    <>
      {compared.map((name) => (
        <div key={name}>
          <h3>{texts.byDay.titles[name]}</h3>
          <DataTable
            rows={quality[name]}
            columns={(col) => [
              col.head(texts.byDay.day, ({ day }) => day),
              col.number(error, ({ maeKwh, meanKwh }) => (
                <>
                  {format.number(maeKwh)}
                  {meanKwh > 0 && (
                    <span class="why">{`${format.number((100 * maeKwh) / meanKwh, 0)} %`}</span>
                  )}
                </>
              )),
              col.number(bias, ({ biasKwh }) => format.number(biasKwh)),
              col.number(coverage, (row) => `${format.number(100 * row.coverage, 0)} %`),
              col.number(days, (row) => row.days),
            ]}
          />
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
    <details class="card">
      <summary>{texts.title}</summary>
      <p class="muted">{texts.note(leftOut.count)}</p>
      <DataTable
        caption={texts.caption}
        rows={leftOut.last}
        columns={(col) => [
          col.head(time, ({ at }) => `${format.date(localDate(at, format.zone))} ${format.time(at)}`),
          col.text(reading, (one) => one.reading),
          col.number(value, (one) => format.number(one.value, 3)),
        ]}
      />
    </details>
  );
}
