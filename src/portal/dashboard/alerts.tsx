import { addDays, localDate } from "../../core/time/zone.js";
import { tariffEndings } from "../../tariff/ending.js";
import { componentName, componentText, textsOf } from "../../texts/index.js";
import { BalanceNotice, balanceComponent } from "./balance-notice.js";
import { TelemetryNotice } from "./telemetry-notice.js";
import type { PartProps } from "./view.js";

/** What needs attention: the first notice in full, the others behind a click; empty if there are none. */
export function Alerts(props: PartProps) {
  const texts = textsOf(props.format.language).dashboard.components;
  const alerts = [
    followingNotice(props),
    TelemetryNotice(props),
    BalanceNotice(props),
    TariffNotice(props),
    ...componentNotices(props),
  ].filter((alert) => alert !== null);
  const [first, ...others] = alerts;
  if (first === undefined) return null;
  return (
    <>
      {first}
      {others.length > 0 && (
        <details id="more-alerts" class="more-alerts">
          <summary>{texts.more(others.length)}</summary>
          {others}
        </details>
      )}
    </>
  );
}

/** Components that are degraded or down. */
function componentNotices({ house, format }: PartProps) {
  const texts = textsOf(format.language).dashboard.components;
  // They have notices of their own.
  const others = [`battery ${house.site.id}`, balanceComponent(house.site.id)];
  const failing = house.components.filter(({ name, state }) => state !== "ok" && !others.includes(name));
  return failing.map(({ name, state, detail }) => (
    <div key={name} class="notice warning" role="status">
      <p>
        {texts.sentence(
          deviceName(name, house) ?? componentName(name, format.language),
          state === "down" ? texts.down : texts.degraded,
        )}
      </p>
      {detail.length > 0 && (
        <details id={`alert-${name.replace(/\W+/g, "-")}`}>
          <summary>{texts.technical}</summary>
          <p>{componentText(detail, format.language)}</p>
        </details>
      )}
    </div>
  ));
}

/** The name of the device that a component is about; undefined for another component. */
function deviceName(name: string, { site }: PartProps["house"]): string | undefined {
  const { slots, actuators } = site.plant;
  const labelOf = (slot: string | undefined) => slots.find((one) => `${one.slot}` === slot)?.label;
  const [kind, id] = [`device ${site.id}/`, `actuator/${site.id}/`].flatMap((prefix) =>
    name.startsWith(prefix) ? [prefix, name.slice(prefix.length)] : [],
  );
  if (kind === undefined || kind.startsWith("device")) return labelOf(id);
  return labelOf(/^slot (\d)$/.exec(actuators.find((one) => one.id === id)?.controls ?? "")?.[1]);
}

/** That the battery does not do what is commanded, since when, and what to check. */
function followingNotice({ house, format }: PartProps) {
  const scalars = house.plan?.scalars;
  if (scalars?.following !== "no") return null;
  const texts = textsOf(format.language).dashboard.following;
  return (
    <div class="notice warning" role="status">
      <p>{`${texts.title} (${texts.since(format.moment(scalars.followingSince, house.now))}).`}</p>
      <p>{texts.causes[scalars.followingCause]}</p>
    </div>
  );
}

/** A levy that ended longer ago than this was left to end. */
const NAMED_DAYS = 60;

/** That amounts of the tariff end within 60 days, or have ended, and what to do. */
function TariffNotice({ house, format }: PartProps) {
  const { tariff, timezone } = house.site.plant;
  if (tariff === null) return null;
  const today = localDate(house.now, timezone);
  const endings = tariffEndings(tariff, today).filter(
    ({ date, levy }) => levy === undefined || date >= addDays(today, -NAMED_DAYS),
  );
  if (endings.length === 0) return null;
  const texts = textsOf(format.language).dashboard.tariff;
  return (
    <div class="notice warning" role="status">
      {endings.map(({ date, levy }) => (
        <p>
          {levy === undefined
            ? texts.ends(format.date(date), date < today)
            : texts.levyEnds(levy, format.date(date))}
        </p>
      ))}
    </div>
  );
}
