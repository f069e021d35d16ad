import { MINUTE_MS } from "../../core/domain/interval.js";
import { type Reading, readingOfSlot } from "../../core/domain/sample.js";
import { slotNumber } from "../../core/domain/slot.js";
import { powerBalance } from "../../telemetry/energy-balance.js";
import { textsOf } from "../../texts/index.js";
import type { DashboardView, PartProps } from "./view.js";

/** Measured values that are older are shown as outdated. */
const FRESH_MS = 2 * MINUTE_MS;
/** Powers below this count as none, kW. */
const IDLE_KW = 0.02;

/** A power with the age of the oldest reading behind it; undefined: not measured. */
interface Power {
  kw: number;
  ageMs: number;
}

/** The measured powers of a site, kW: battery positive while charging, grid positive while importing. */
export interface MeasuredPowers {
  pv: Power | undefined;
  /** Everything that the house consumes, devices included. */
  load: Power | undefined;
  battery: Power | undefined;
  /** As read, otherwise from the others; undefined where one of them is missing. */
  grid: Power | undefined;
  isGridComputed: boolean;
  devices: { slot: number; label: string; power: Power | undefined }[];
}

/** The powers by the last readings. Pure. */
export function measuredPowers({ site, live, now }: DashboardView): MeasuredPowers {
  const { plant } = site;
  const of = (name: Reading): Power | undefined => {
    const last = live[name];
    return last && { kw: last.value, ageMs: Math.max(0, now.getTime() - last.at.getTime()) };
  };
  const devices = plant.slots
    .filter(({ enabled }) => enabled)
    .map(({ slot, label, kind }) => ({
      slot,
      label,
      power:
        of(readingOfSlot(slotNumber(slot)!, "power_kw")) ??
        (kind === "wallbox" ? of("ev_power_kw") : undefined),
    }));
  const pv = of("pv_power_kw");
  const battery = of("battery_power_kw");
  const meter = of("grid_power_kw");
  const { loadKw, gridKw } = powerBalance(plant, (reading) => live[reading]?.value);
  const read = [of("load_power_kw"), meter, ...(plant.pv.length > 0 ? [pv] : []), battery];
  const ageMs = Math.max(0, ...read.map((power) => power?.ageMs ?? 0));
  const ownLoad = of("load_power_kw");
  const computed = (kw: number | undefined) => (kw === undefined ? undefined : { kw, ageMs });
  return {
    pv,
    load:
      meter === undefined && loadKw !== undefined && ownLoad !== undefined
        ? { kw: loadKw, ageMs: ownLoad.ageMs }
        : computed(loadKw),
    battery,
    grid: meter ?? computed(gridKw),
    isGridComputed: meter === undefined && gridKw !== undefined,
    devices,
  };
}

interface NodeProps {
  x: number;
  y: number;
  name: string;
  label: string;
  value: string;
  state: string;
  isStale: boolean;
}

/** A box of the picture, 104 by 66 around its centre. */
function FlowNode({ x, y, name, label, value, state, isStale }: NodeProps) {
  return (
    <g class={isStale ? `node ${name} stale` : `node ${name}`}>
      <rect x={x - 52} y={y - 33} width="104" height="66" rx="8" />
      <text x={x} y={y - 15} text-anchor="middle">
        {label}
      </text>
      <text class="value" x={x} y={y + 6} text-anchor="middle">
        {value}
      </text>
      <text x={x} y={y + 24} text-anchor="middle">
        {state}
      </text>
    </g>
  );
}

/** A line between two boxes with an arrow in the direction of the flow; thin without one. */
function FlowLine({
  from,
  to,
  name,
  kw,
}: {
  from: [number, number];
  to: [number, number];
  name: string;
  kw: number;
}) {
  const [start, end] = kw < 0 ? [to, from] : [from, to];
  const [dx, dy] = [Math.sign(end[0] - start[0]), Math.sign(end[1] - start[1])];
  const line = <line x1={from[0]} y1={from[1]} x2={to[0]} y2={to[1]} />;
  if (Math.abs(kw) < IDLE_KW) return <g class="flow idle">{line}</g>;
  const [x, y] = end;
  const points = `${x},${y} ${x - 9 * dx - 6 * dy},${y - 9 * dy - 6 * dx} ${x - 9 * dx + 6 * dy},${y - 9 * dy + 6 * dx}`;
  return (
    <g class={`flow ${name}`}>
      {line}
      <polygon points={points} />
    </g>
  );
}

/** What flows now by measurements, the command in force, and whether the battery follows it. */
export function EnergyFlow({ house, format }: PartProps) {
  const texts = textsOf(format.language).dashboard.flow;
  const { plant } = house.site;
  const powers = measuredPowers(house);
  const { pv, load, battery, grid, isGridComputed, devices } = powers;
  const kw = (power: Power | undefined) =>
    power === undefined ? "–" : `${format.number(Math.abs(power.kw), Math.abs(power.kw) < 10 ? 2 : 1)} kW`;
  const isStale = (power: Power | undefined) => power === undefined || power.ageMs > FRESH_MS;
  const stateOf = (power: Power | undefined, [more, less]: readonly [string, string]) =>
    power === undefined
      ? texts.notMeasured
      : power.ageMs > FRESH_MS
        ? texts.age(format.minutes(power.ageMs / MINUTE_MS))
        : power.kw > IDLE_KW
          ? more
          : power.kw < -IDLE_KW
            ? less
            : texts.idle;
  const flowing = (power: Power | undefined) => (isStale(power) ? 0 : power!.kw);
  const nodes = [
    ...(plant.pv.length > 0 || pv !== undefined
      ? [{ name: "pv", label: texts.pv, power: pv, x: 180, y: 37, states: [texts.produces, ""] as const }]
      : []),
    {
      name: "grid",
      label: texts.grid,
      power: grid,
      x: 56,
      y: 160,
      states: [texts.imports, texts.exports] as const,
    },
    { name: "load", label: texts.home, power: load, x: 180, y: 160, states: [texts.uses, ""] as const },
    ...(plant.battery === null
      ? []
      : [
          {
            name: "battery",
            label: texts.battery,
            power: battery,
            x: 304,
            y: 160,
            states: [texts.charges, texts.discharges] as const,
          },
        ]),
  ];
  const spoken = nodes.map(({ label, power, states }) => `${label}: ${kw(power)}, ${stateOf(power, states)}`);
  const missing = nodes.filter(({ name, power }) => power === undefined && name !== "grid");
  return (
    <div class="energy">
      <svg
        viewBox="0 0 360 197"
        class="flow-svg"
        role="img"
        aria-label={`${texts.title}. ${spoken.join("; ")}.`}
      >
        <FlowLine from={[180, 70]} to={[180, 127]} name="pv" kw={Math.max(0, flowing(pv))} />
        <FlowLine from={[108, 160]} to={[128, 160]} name="grid" kw={flowing(grid)} />
        {plant.battery !== null && (
          <FlowLine from={[232, 160]} to={[252, 160]} name="battery" kw={flowing(battery)} />
        )}
        {nodes.map(({ name, label, power, x, y, states }) => (
          <FlowNode
            key={name}
            {...{ name, label, x, y }}
            value={kw(power)}
            state={stateOf(power, states)}
            isStale={isStale(power)}
          />
        ))}
      </svg>
      <div>
        <Command house={house} format={format} battery={battery} />
        {devices.length > 0 && (
          <ul class="readings">
            {devices.map(({ slot, label, power }) => (
              <li key={slot} class={isStale(power) ? "muted" : undefined}>
                {`${label}: ${kw(power)}, ${stateOf(power, [texts.runs, texts.runs])}`}
              </li>
            ))}
          </ul>
        )}
        {isGridComputed && <p class="muted">{texts.gridIsComputed}</p>}
        {missing.length > 0 && (
          <p class="muted">
            {`${texts.connect(missing.map(({ label }) => label).join(", "))} `}
            <a href="/settings/ems/telemetry">{texts.toTelemetry}</a>
          </p>
        )}
      </div>
    </div>
  );
}

/** The command in force, and whether the battery follows it; while its power is outdated only that it did. */
function Command({ house: { plan, now }, format, battery }: PartProps & { battery: Power | undefined }) {
  if (plan === undefined) return null;
  const texts = textsOf(format.language).dashboard.flow;
  const { scalars, command } = plan;
  const sentence =
    command.mode === "charge"
      ? texts.commands.charge(
          format.number(scalars.chargePowerKw, 1),
          format.number(scalars.chargeStopSocPct, 0),
        )
      : command.mode === "discharge"
        ? texts.commands.discharge(format.number(scalars.dischargeSetKw, 1))
        : scalars.dischargePowerKw === 0 && command.mode !== "standby"
          ? texts.commands.hold
          : texts.commands[command.mode];
  const { following } = scalars;
  const symbol = { yes: "✓", no: "✗", unknown: "?" }[following];
  const lastAgeMs = following === "yes" && battery !== undefined ? battery.ageMs : 0;
  return (
    <>
      <p>
        <strong>{`${texts.command} ${sentence}`}</strong>
      </p>
      {lastAgeMs > FRESH_MS ? (
        <p class="muted">{`? ${texts.followed(format.minutes(lastAgeMs / MINUTE_MS))}`}</p>
      ) : (
        <p class={following === "no" ? "state degraded" : following === "yes" ? "mark" : "muted"}>
          {`${symbol} ${texts.follows[following]}`}
          {following === "no" && ` ${texts.since(format.moment(scalars.followingSince, now))}`}
        </p>
      )}
    </>
  );
}
