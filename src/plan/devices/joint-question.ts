import { DAY_MS, type Interval, MINUTE_MS } from "../../core/domain/interval.js";
import { targetAt } from "../policy/import-target.js";
import type { PolicyInput } from "../policy/policy-input.js";
import type { SiteInput } from "../site-input.js";
import { sitePolicyInput } from "../site-policy.js";
import type { DeviceState } from "../windows/estimates.js";
import { flexLoadKwh } from "../windows/load.js";
import type { SlotCosts } from "../windows/slot-costs.js";
import type { SlotPlan } from "../windows/slot-schedule.js";
import { type Device, runsAtKw } from "./device.js";
import type { DevicePlan, DevicePlanInput } from "./plan-devices.js";
import { departuresAhead, deviceOf } from "./site-devices.js";
import { mostOf } from "./store-states.js";

/** The joint problem of a site's battery and devices. */
export interface JointQuestion {
  input: DevicePlanInput;
  slots: readonly { slot: number; device: Device; isTank: boolean }[];
  steps: readonly Interval[];
  /** What is asked of the devices and what is known of them: another text needs another plan. */
  demands: string;
}

/** The joint problem of the slots that are planned by cost; `site` is without them. undefined without a device. Pure. */
export function jointQuestion(
  site: SiteInput,
  {
    plans,
    stateOf,
    importTargetKw,
  }: {
    plans: readonly SlotPlan[];
    stateOf: (slot: number) => DeviceState | undefined;
    /** Import that the battery plan keeps to where the month's peak has a price. */
    importTargetKw?: number | undefined;
  },
): JointQuestion | undefined {
  const { now, zone, battery, soc, peak } = site;
  const known = { now, zone, until: site.prices.at(-1)?.end ?? now };
  const problem = splitAt(
    sitePolicyInput(site),
    plans.flatMap((plan) => departuresAhead(plan, known)),
  );
  const importTarget =
    peak === undefined || importTargetKw === undefined ? undefined : targetAt(peak, importTargetKw);
  const policyInput =
    importTarget === undefined ? problem : { ...problem, grid: { ...problem.grid, importTarget } };
  const steps = problem.steps.map((step) => ({ start: step.start, end: endOf(step) }));
  const situation = {
    now,
    zone,
    steps,
    importCtKwh: policyInput.steps.map(({ importCtKwh }) => importCtKwh),
    surplusKwh: policyInput.steps.map(({ pvKwh, loadKwh }) => pvKwh - loadKwh),
    importLimitKw: policyInput.grid?.importLimitKw,
  };
  const slots = plans.flatMap((plan) => {
    const state = stateOf(plan.slot);
    const device = deviceOf(plan, { ...situation, state });
    const { slot, settings } = plan;
    const isTank = settings.store !== null;
    if (device === undefined) return [];
    const keptKwh = flexLoadKwh([plan], stepsScheduled(plan, steps));
    return [{ slot, device: { ...device, keptKwh }, isTank, demand: demandOf(plan, state) }];
  });
  if (slots.length === 0) return undefined;
  const socKwh = (battery.capacityKwh * soc.pct) / 100;
  return {
    input: { site: policyInput, socKwh, devices: slots.map(({ device }) => device) },
    slots,
    steps,
    demands: JSON.stringify(slots.map(({ slot, demand }) => [slot, demand])),
  };
}

function endOf({ start, minutes }: PolicyInput["steps"][number]): Date {
  return new Date(start.getTime() + minutes * MINUTE_MS);
}

/** The problem with its steps cut at these instants: a vehicle leaves within an hour. */
function splitAt(input: PolicyInput, instants: readonly Date[]): PolicyInput {
  const parts = input.steps.flatMap((step, t) => {
    const within = instants.filter((at) => at > step.start && at < endOf(step));
    const cuts = [...new Set([step.start, ...within, endOf(step)].map(Number))].sort((a, b) => a - b);
    return cuts.slice(1).map((endMs, k) => {
      const minutes = (endMs - cuts[k]!) / MINUTE_MS;
      const [loadKwh, pvKwh] = [step.loadKwh, step.pvKwh].map((kwh) => (kwh * minutes) / step.minutes);
      const start = new Date(cuts[k]!);
      return { step: { ...step, start, minutes, loadKwh: loadKwh!, pvKwh: pvKwh! }, row: input.ratios[t]! };
    });
  });
  return { ...input, steps: parts.map(({ step }) => step), ratios: parts.map(({ row }) => row) };
}

/** The steps that the schedule in force covers. */
function stepsScheduled({ result, later }: SlotPlan, steps: readonly Interval[]): Interval[] {
  const until = (later.at(-1) ?? result)?.window.end;
  return until === undefined ? [] : steps.filter(({ end }) => end <= until);
}

/** What the plan says to each slot. Pure. */
export function slotCostsOf(
  { input, slots, steps }: JointQuestion,
  plan: DevicePlan,
): Map<number, SlotCosts> {
  return new Map(
    slots.map(({ slot, device, isTank }, d) => {
      const rooms = roomKwh(input, plan, d);
      const kwh = plan.kwh[d]!;
      return [
        slot,
        {
          steps,
          ctKwh: plan.costCtKwh[d]!,
          surplusKwh: surplusLeft(input, plan, d),
          ...(rooms && { roomKwh: rooms }),
          ...(device.kind === "store" && {
            kwh,
            mostKwh: device.store.stages.map((stage, t) =>
              Math.max(
                kwh[t]!,
                Math.min(mostOf(device.store, stage), rooms?.[t] ?? Number.POSITIVE_INFINITY),
              ),
            ),
            minPowerKw: device.store.minPowerKw,
            upToDemand: !isTank,
            ...(isTank && { tank: device.store }),
          }),
        },
      ];
    }),
  );
}

/** What the load and the other devices leave a device of the import limit in each step, kWh; undefined without a limit. */
function roomKwh(
  { site, devices }: Pick<DevicePlanInput, "site" | "devices">,
  plan: DevicePlan,
  device: number,
): number[] | undefined {
  const limitKw = site.grid?.importLimitKw;
  if (limitKw === undefined) return undefined;
  return site.steps.map(({ minutes, pvKwh, loadKwh }, t) => {
    const hours = minutes / 60;
    const othersKw = plan.kwh.reduce(
      (sum, kwh, d) => (d === device ? sum : sum + runsAtKw(devices[d]!, kwh[t]!, hours)),
      0,
    );
    return (limitKw - othersKw) * hours + pvKwh - loadKwh;
  });
}

/** Expected PV surplus that the load and the other devices leave for a device in each step, kWh. */
function surplusLeft({ site }: Pick<DevicePlanInput, "site">, plan: DevicePlan, device: number): number[] {
  return site.steps.map(({ pvKwh, loadKwh }, t) =>
    plan.kwh.reduce((left, kwh, d) => (d === device ? left : left - kwh[t]!), pvKwh - loadKwh),
  );
}

/** The demand of a slot, in steps that matter: readings change all the time. */
function demandOf(
  { origin, plugged, override, result, later }: SlotPlan,
  state: DeviceState | undefined,
): unknown[] {
  const { window, demandEnergyKwh, consecutive, powerKw } = result ?? {};
  return [
    origin,
    plugged,
    override,
    window?.askedEnd,
    powerKw,
    consecutive,
    Math.round((demandEnergyKwh ?? 0) * 2),
    later.length,
    state?.temperatureC === undefined ? null : Math.round(state.temperatureC / 2),
    state?.hotAt === undefined ? null : Math.floor(state.hotAt.getTime() / DAY_MS),
    state?.triedAt,
  ];
}
