import type { ComponentChildren } from "preact";
import { freshness } from "../../core/domain/freshness.js";
import { contains, DAY_MS, hoursOf } from "../../core/domain/interval.js";
import { type Reading, readingOfBattery } from "../../core/domain/sample.js";
import type { ComponentHealth } from "../../core/health-registry.js";
import type { Language } from "../../core/language.js";
import { addDays, localDate } from "../../core/time/zone.js";
import { deviceLabel } from "../../plan/windows/slot-schedule.js";
import { tariffEndings } from "../../tariff/ending.js";
import { componentName, componentText, textsOf } from "../../texts/index.js";
import { formButton, linkLine } from "../ui/parts.js";
import { SocForm } from "./override-forms.js";
import { RetryButton } from "./retry.js";
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
function missingReadings(house: DashboardView): MissingReading[] {
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

/** What needs attention: a line, and what it is about. */
interface Alert {
  title: string;
  body: ComponentChildren;
}

/** That readings have stopped: which and since when, what applies in their place, and where to look. */
function telemetryAlerts({ house, format }: PartProps): Alert[] {
  const { limits, now } = house;
  const readings = missingReadings(house);
  if (readings.length === 0 || limits === undefined) return [];
  const texts = textsOf(format.language).dashboard.missingReadings;
  const namesBySince = new Map<string, string[]>();
  for (const { kind, name, at } of readings) {
    const since = format.moment(at, now);
    const shown = name === undefined ? texts.names[kind] : `${texts.names[kind]} (${name})`;
    namesBySince.set(since, [...(namesBySince.get(since) ?? []), shown]);
  }
  const socs = readings.filter(({ kind }) => kind === "soc");
  const isLost = socs.some(({ at }) => freshness(at, now, limits) === "lost");
  const kinds = [...new Set(readings.map(({ kind }) => texts.names[kind]))];
  const body = (
    <>
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
      {socs.length > 0 && <SocForm house={house} format={format} />}
      {linkLine("/connect", texts.where)}
    </>
  );
  const { alert } = textsOf(format.language).dashboard;
  const [only] = kinds;
  const title = kinds.length === 1 ? alert.readings(only!) : alert.severalReadings(String(kinds.length));
  return [{ title, body }];
}

/** What needs attention, in one line that opens to the whole text; nothing if there is nothing. */
export function Alerts(props: PartProps) {
  const texts = textsOf(props.format.language).dashboard.alert;
  const alerts = [
    ...followingAlerts(props),
    ...telemetryAlerts(props),
    ...balanceAlerts(props),
    ...tariffAlerts(props),
    ...componentAlerts(props),
  ];
  const [first, ...others] = alerts;
  if (first === undefined) return null;
  return (
    <details id="alert" class="alert">
      <summary>{others.length === 0 ? first.title : `${first.title} · ${texts.more(others.length)}`}</summary>
      {alerts.map(({ title, body }) => (
        <div key={title}>
          {alerts.length > 1 && <h2>{title}</h2>}
          {body}
        </div>
      ))}
    </details>
  );
}

/** The readings do not add up. */
function balanceAlerts(props: PartProps): Alert[] {
  const body = BalanceNotice(props);
  return body === null ? [] : [{ title: textsOf(props.format.language).dashboard.alert.balance, body }];
}

/** Faults of a device that nothing else than the way to it explains. */
const UNREACHABLE: readonly string[] = ["unreachable", "timeout", "offline", "no_broker", "no_reading"];

/** Components that are degraded or down. */
function componentAlerts({ house, format }: PartProps): Alert[] {
  const texts = textsOf(format.language).dashboard.alert;
  // They have alerts of their own.
  const others = [`battery ${house.site.id}`, balanceComponent(house.site.id)];
  const failing = house.components.filter(({ name, state }) => state !== "ok" && !others.includes(name));
  return failing.map(({ name, state, since, detail }) => {
    const device = deviceName(name, house, format.language);
    const isUnreachable = detail.some(
      (sentence) =>
        (sentence.code === "actuator_error" && UNREACHABLE.includes(sentence.fault)) ||
        (sentence.code === "actuator_phase" && sentence.phase === "offline"),
    );
    const title =
      device !== undefined && isUnreachable
        ? texts.unreachable(device)
        : (state === "down" ? texts.down : texts.degraded)(device ?? componentName(name, format.language));
    return {
      title,
      body: (
        <>
          <p>{`${title} (${texts.since(format.moment(since, house.now))}).`}</p>
          {detail.length > 0 && <p>{componentText(detail, format.language)}</p>}
          <RetryButton house={house} format={format} component={name} />
          {device !== undefined &&
            linkLine(`/devices?site=${encodeURIComponent(house.site.id)}`, texts.toDevices)}
        </>
      ),
    };
  });
}

/** The name of the device that a component is about; undefined for another component. */
function deviceName(
  component: string,
  { site, deviceNames }: PartProps["house"],
  language: Language,
): string | undefined {
  const after = (prefix: string) =>
    component.startsWith(prefix) ? component.slice(prefix.length) : undefined;
  const slot = after(`device ${site.id}/`);
  if (slot !== undefined) {
    const settings = site.plant.slots.find((one) => String(one.slot) === slot);
    return settings && deviceLabel(settings, language);
  }
  return deviceNames?.get(after(`actuator/${site.id}/`) ?? after(`device/${site.id}/`) ?? "");
}

/** That the battery does not do what is commanded, since when, and what to check. */
function followingAlerts({ house, format }: PartProps): Alert[] {
  const scalars = house.plan?.scalars;
  if (scalars?.following !== "no") return [];
  const texts = textsOf(format.language).dashboard.following;
  const body = (
    <>
      <p>{`${texts.since(format.moment(scalars.followingSince, house.now))}.`}</p>
      <p>{texts.causes[scalars.followingCause]}</p>
    </>
  );
  return [{ title: texts.title, body }];
}

/** A levy that ended longer ago than this was left to end. */
const NAMED_DAYS = 60;

/** That amounts of the tariff end within 60 days, or have ended, and what to do. */
function tariffAlerts({ house, format }: PartProps): Alert[] {
  const { tariff, timezone } = house.site.plant;
  if (tariff === null) return [];
  const today = localDate(house.now, timezone);
  const endings = tariffEndings(tariff, today).filter(
    ({ date, levy }) => levy === undefined || date >= addDays(today, -NAMED_DAYS),
  );
  if (endings.length === 0) return [];
  const { tariff: texts, alert } = textsOf(format.language).dashboard;
  const body = endings.map(({ date, levy }) => (
    <p>
      {levy === undefined
        ? texts.ends(format.date(date), date < today)
        : texts.levyEnds(levy, format.date(date))}
    </p>
  ));
  return [{ title: alert.tariff, body }];
}

/** Name of the component that says whether the readings of a site add up. */
export function balanceComponent(siteId: string): string {
  return `balance ${siteId}`;
}

/** The setting that the comparison of the readings proposes, as slots; undefined: none. */
export function proposedLoadWithout(
  components: readonly ComponentHealth[],
  siteId: string,
): number[] | undefined {
  const health = components.find(({ name }) => name === balanceComponent(siteId));
  for (const sentence of health?.detail ?? [])
    if (sentence.code === "load_contains") return sentence.setting.match(/\d+/g)?.map(Number) ?? [];
  return undefined;
}

/** That the readings do not add up, and a button for the setting that fits. */
export function BalanceNotice({ house, format }: PartProps) {
  const health = house.components.find(({ name }) => name === balanceComponent(house.site.id));
  if (health === undefined || health.state === "ok") return null;
  const isProposed = proposedLoadWithout(house.components, house.site.id) !== undefined;
  return (
    <>
      {health.detail.map((sentence) => (
        <p key={sentence.code}>{componentText([sentence], format.language)}</p>
      ))}
      {isProposed &&
        formButton(house, "/dashboard/load-without", textsOf(format.language).dashboard.applyProposal, {
          kind: "plain",
        })}
    </>
  );
}
