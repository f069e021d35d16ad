import { DAY_MS, MINUTE_MS } from "../../core/domain/interval.js";
import { localDate } from "../../core/time/zone.js";
import { sessionPart } from "../../money/ledger/charging-sessions.js";
import { deviceRuns } from "../../plan/windows/device-runs.js";
import { deviceLabel, slotMoment } from "../../plan/windows/slot-schedule.js";
import {
  FRESH_MS,
  IDLE_KW,
  isFresh,
  type MeasuredPowers,
  measuredPowers,
  type Power,
} from "../../telemetry/measured-powers.js";
import type { Format } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { IconName } from "../ui/icons.js";
import { carLink, historyLink } from "../ui/links.js";
import { type FlowNode, FlowPicture } from "./flow-picture.js";
import type { DashboardView, PartProps } from "./view.js";

/** What the flow shows. */
interface Flow {
  nodes: readonly FlowNode[];
  /** What does not add up, as a sentence. */
  gap: string | undefined;
  /** Names of what is not measured. */
  missing: readonly string[];
}

/** The nodes of the flow: sun, grid, house, battery, then each device. Pure. */
export function flowOf(house: DashboardView, format: Format): Flow {
  const texts = textsOf(format.language).dashboard.flow;
  const { plant } = house.site;
  const powers = measuredPowers(house);
  const today = house.savings?.today.kwh;
  const make = nodeMaker(house, format);
  const energy = (names: readonly (keyof typeof SIGNS)[]) =>
    today && names.map((name): SignedEnergy => [SIGNS[name], today[name]]);
  const nodes = [
    ...(plant.pv.length > 0 || powers.pv !== undefined
      ? [
          make("pv", "pv", texts.pv, powers.pv, {
            states: [texts.produces, ""],
            energy: energy(["pv"]),
            sign: 1,
          }),
        ]
      : []),
    make("grid", "grid", texts.grid, powers.grid, {
      states: [texts.imports, texts.exports],
      energy: energy(["import", "export"]),
      sign: 1,
    }),
    make("home", "home", texts.home, powers.load, {
      states: [texts.uses, ""],
      energy: energy(["load"]),
      sign: 0,
    }),
    ...(plant.battery === null
      ? []
      : [
          {
            ...make("battery", "battery", texts.battery, powers.battery, {
              states: [texts.charges, texts.discharges],
              energy: energy(["charge", "discharge"]),
              sign: -1,
            }),
            socPct: house.live.soc_pct?.value,
          },
        ]),
    ...deviceNodes(house, powers, format),
  ];
  const { gapKw } = powers;
  const measured = { pv: powers.pv, home: powers.load, battery: powers.battery };
  return {
    nodes,
    gap:
      gapKw === undefined
        ? undefined
        : (gapKw > 0 ? texts.gap.more : texts.gap.less)(format.number(Math.abs(gapKw))),
    missing: nodes
      .filter(({ id }) => id in measured && measured[id as keyof typeof measured] === undefined)
      .map(({ name }) => name),
  };
}

/** What is shown before an energy of the day. */
const SIGNS = { pv: "", load: "", import: "↓", export: "↑", charge: "+", discharge: "−" } as const;

type SignedEnergy = readonly [sign: string, kwh: number];

interface NodeDetails {
  /** What it does at a positive and at a negative power. */
  states: readonly [string, string];
  /** Today's energies with their signs. */
  energy?: readonly SignedEnergy[] | undefined;
  /** What is shown in place of them. */
  note?: string | undefined;
  /** 1: a positive power flows to the house, -1: away from it. */
  sign: 1 | 0 | -1;
  href?: string;
}

function nodeMaker({ site, now }: DashboardView, format: Format) {
  const texts = textsOf(format.language).dashboard.flow;
  const day = historyLink(site, "day", localDate(now, format.zone));
  return (
    id: string,
    kind: IconName,
    name: string,
    power: Power | undefined,
    { states, energy, note, sign, href = day }: NodeDetails,
  ): FlowNode => {
    const isStale = !isFresh(power);
    const value = power === undefined ? "–" : `${format.number(Math.abs(power.kw))} kW`;
    const state =
      power === undefined
        ? texts.notMeasured
        : power.ageMs > FRESH_MS
          ? texts.age(format.minutes(power.ageMs / MINUTE_MS))
          : power.kw > IDLE_KW
            ? states[0]
            : power.kw < -IDLE_KW
              ? states[1]
              : texts.idle;
    // Nothing is added up of what has never been measured today.
    const isKnown = power !== undefined || energy?.some(([, kwh]) => kwh > 0);
    const today = isKnown && energy !== undefined ? kwhText(energy, format) : "–";
    return {
      id,
      kind,
      name,
      value,
      note: power !== undefined && isStale ? state : (note ?? today),
      state,
      href,
      inKw: isStale ? 0 : sign * power.kw,
      isStale,
    };
  };
}

/** A node for each device: measured, or with its plan. */
function deviceNodes(house: DashboardView, powers: MeasuredPowers, format: Format): FlowNode[] {
  const texts = textsOf(format.language).dashboard.flow;
  const make = nodeMaker(house, format);
  return house.site.plant.slots
    .filter(({ enabled }) => enabled)
    .map((settings) => {
      const { slot, kind } = settings;
      const power = powers.devices.get(slot);
      const kwh = energyToday(house, slot)?.kwh;
      return make(`device${slot}`, kind, deviceLabel(settings, format.language), power, {
        states: [texts.runs, texts.runs],
        note:
          power === undefined
            ? planned(house, slot, format)
            : kwh === undefined
              ? undefined
              : `${format.number(kwh, 1)} kWh`,
        sign: -1,
        ...(kind === "wallbox" && { href: carLink(house.site, slot) }),
      });
    });
}

/** The plan of a device that is not measured. */
function planned({ slots, now }: DashboardView, slot: number, format: Format): string {
  const texts = textsOf(format.language).dashboard.flow.planned;
  const plan = slots.find((one) => one.slot === slot);
  if (plan === undefined) return texts.none;
  if (plan.plugged === 0) return texts.unplugged;
  const moment = slotMoment(plan, now);
  if (moment?.chargeNow === 1) return texts.now;
  const next = deviceRuns(plan, now, new Date(now.getTime() + 2 * DAY_MS))[0];
  return next === undefined ? texts.none : texts.at(format.moment(next.start, now));
}

/** What a device took today, and what that cost; undefined: not measured. */
export function energyToday({ energy = [] }: DashboardView, slot: number) {
  const today = energy.at(-1);
  if (today === undefined) return undefined;
  const { kwh, costEur } = sessionPart(today.quarters, slot, { start: today.start, from: today.start });
  return kwh === undefined ? undefined : { kwh, costEur };
}

/** Amounts of energy with their signs; those that are none are left out, unless all are. */
function kwhText(parts: readonly SignedEnergy[], format: Format): string {
  const known = parts.filter(([, kwh]) => kwh >= 0.05);
  const shown = known.length === 0 ? parts.slice(0, 1).map(([, kwh]) => ["", kwh] as const) : known;
  return `${shown.map(([sign, kwh]) => `${sign}${format.number(kwh, 1)}`).join(" ")} kWh`;
}

/** What flows now by measurements, and what was measured today. */
export function EnergyFlow({ house, format }: PartProps) {
  const texts = textsOf(format.language).dashboard.flow;
  const { nodes, gap, missing } = flowOf(house, format);
  return (
    <>
      <FlowPicture
        nodes={nodes}
        label={`${texts.title}. ${nodes.map(({ name, state }) => `${name}: ${state}`).join("; ")}.`}
      />
      {gap !== undefined && <p class="hint">{gap}</p>}
      {missing.length > 0 && (
        <p class="hint">
          {`${texts.connect(missing.join(", "))} `}
          <a href="/settings/ems/telemetry">{texts.toTelemetry}</a>
        </p>
      )}
    </>
  );
}
