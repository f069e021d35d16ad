import { freshness } from "../../core/domain/freshness.js";
import { contains, DAY_MS, hoursOf } from "../../core/domain/interval.js";
import { type Reading, readingOfBattery } from "../../core/domain/sample.js";
import { textsOf } from "../../texts/index.js";
import type { DashboardView, PartProps } from "./view.js";

/** A power that has not been measured for longer is taken as no longer connected. */
const FORGOTTEN_MS = 30 * DAY_MS;
/** Inverters that are off at night report no PV power; above this expected power they do, kW. */
const AWAKE_KW = 0.2;

interface MissingReading {
  kind: "soc" | "pv" | "load" | "battery";
  /** Of one of several batteries. */
  name?: string;
  at: Date;
}

/** Readings of battery, PV and load that have stopped: older than the limit of a stale one. Pure. */
export function missingReadings(house: DashboardView): MissingReading[] {
  const { site, live, now, limits } = house;
  if (limits === undefined) return [];
  const { battery, batteries } = site.plant;
  const missing = (kind: MissingReading["kind"], reading: Reading, name?: string): MissingReading[] => {
    const at = live[reading]?.at;
    if (at === undefined || freshness(at, now, limits) === "fresh") return [];
    if (kind !== "soc" && now.getTime() - at.getTime() > FORGOTTEN_MS) return [];
    return [{ kind, at, ...(name === undefined ? {} : { name }) }];
  };
  // The readings of all batteries together end with those of one of them.
  const ofBatteries = (kind: "soc" | "battery", reading: "soc_pct" | "power_kw") =>
    batteries.flatMap(({ id, label }) =>
      missing(kind, readingOfBattery(id, reading), label === "" ? id : label),
    );
  const either = (own: MissingReading[], total: MissingReading[]) => (own.length > 0 ? own : total);
  return [
    ...(battery === null ? [] : either(ofBatteries("soc", "soc_pct"), missing("soc", "soc_pct"))),
    ...(expectedPvKw(house) < AWAKE_KW ? [] : missing("pv", "pv_power_kw")),
    ...missing("load", "load_power_kw"),
    ...(battery === null
      ? []
      : either(ofBatteries("battery", "power_kw"), missing("battery", "battery_power_kw"))),
  ];
}

function expectedPvKw({ plan, now }: DashboardView): number {
  const hour = plan?.days.flatMap((day) => day.hours).find((one) => contains(one, now));
  return hour === undefined ? 0 : hour.pvKwh / Math.max(hoursOf(hour), Number.EPSILON);
}

/** That readings have stopped: which and since when, what applies in their place, and where to look. */
export function TelemetryNotice({ house, format }: PartProps) {
  const { limits, now } = house;
  const readings = missingReadings(house);
  if (readings.length === 0 || limits === undefined) return null;
  const texts = textsOf(format.language).dashboard.missingReadings;
  const namesBySince = new Map<string, string[]>();
  for (const { kind, name, at } of readings) {
    const since = format.moment(at, now);
    const shown = name === undefined ? texts.names[kind] : `${texts.names[kind]} (${name})`;
    namesBySince.set(since, [...(namesBySince.get(since) ?? []), shown]);
  }
  const socs = readings.filter(({ kind }) => kind === "soc");
  const isLost = socs.some(({ at }) => freshness(at, now, limits) === "lost");
  return (
    <div class="notice warning" role="status">
      {[...namesBySince].map(([since, names]) => (
        <p key={since}>{texts.since(since, names.join(", "))}</p>
      ))}
      <p>
        {[
          ...(socs.length === 0 ? [] : [isLost ? texts.socLost : texts.socStale(limits.lostMinutes)]),
          ...(readings.length > socs.length ? [texts.powers] : []),
          ...(readings.some(({ kind }) => kind === "battery") ? [texts.following] : []),
        ].join(" ")}
      </p>
      <p>
        <a href="/connect">{texts.where}</a>
      </p>
    </div>
  );
}
