import { batteryOverrideDocument } from "../../api/documents/battery-override.js";
import { recipeDocument } from "../../api/documents/device-schedules.js";
import type { Document } from "../../api/operation.js";
import type { Services } from "../../api/services.js";
import { formatIso } from "../../core/time/zone.js";
import { BATTERY_OVERRIDE_ACTIONS, batteryCostText } from "../../plan/battery-override.js";
import { OVERRIDE_ACTIONS, type OverrideAction } from "../../plan/windows/override.js";
import { usualEnd } from "../../plan/windows/usual-end.js";
import { formatOf } from "../../texts/format.js";
import type { Confirmations } from "./confirmations.js";
import { BATTERY_DEVICE, foundDevice } from "./found-device.js";
import { type RunOperation, type Tool, type ToolCaller, tool, wrongArgument } from "./tool.js";

export interface OverrideToolOptions {
  services: Services;
  /** Of requests as they were previewed: the end that was named is the one that applies. */
  confirmations: Confirmations<Document>;
  /** POST /v1/plant/device-overrides. */
  override: RunOperation;
  /** Called after each change. */
  onChange(caller: ToolCaller): void;
}

interface OverrideArguments {
  device: string;
  override: string;
  until?: string;
  target_soc_pct?: number;
  min_soc_pct?: number;
  energy_kwh?: number;
  confirmation?: string;
}

const ACTIONS = [...new Set([...OVERRIDE_ACTIONS, ...BATTERY_OVERRIDE_ACTIONS])].filter(
  (action) => action !== "auto",
);

const deviceSchema = {
  type: "string",
  minLength: 1,
  maxLength: 100,
  description: "Name of a device as in status, its kind such as wallbox, or battery.",
} as const;

/** Numbers as the portal writes them. */
const format = formatOf("en", "UTC");
const { number } = format;

/** Overrides of the plan by a person: read, set after a confirmation, end. */
export function overrideTools({ services, confirmations, override, onChange }: OverrideToolOptions): Tool[] {
  /** What is in force, of the battery and of every device. */
  const inForce = ({ site, now }: ToolCaller) => {
    const { timezone: zone } = site.plant;
    return {
      battery:
        site.plant.battery === null ? null : batteryOverrideDocument(services.plans.current(site.id), zone),
      devices: services.flex.current(site.id).map((plan) => {
        const { label, override: action, override_until } = recipeDocument(plan, { now, zone });
        return {
          name: String(label),
          override: String(action),
          override_until: override_until as string | null,
        };
      }),
    };
  };

  const answer = (caller: ToolCaller, more: Document = {}) => {
    const document = inForce(caller);
    return { document: { ...more, ...document }, text: inForceText(document) };
  };

  const slotOf = (caller: ToolCaller, device: string) => {
    const slots = services.flex.current(caller.site.id);
    return foundDevice({ site: caller.site, slots }, device);
  };

  /** The end that a button of the portal has too; undefined: the default of the operation. */
  const usualUntil = ({ site, now }: ToolCaller, slot: ReturnType<typeof slotOf>, action: string) => {
    const { timezone: zone } = site.plant;
    const plan = services.flex.current(site.id).find((one) => one.slot === slot);
    const end = plan && usualEnd(action as OverrideAction, plan, { zone, now });
    return end && formatIso(end, zone);
  };

  return [
    tool({
      name: "overrides",
      title: "Overrides in force",
      description:
        "What a person has overridden of the plan, of the battery and of each device, and until when.",
      schema: { type: "object", properties: {} },
      isReadOnly: true,
      run: (_input, caller) => answer(caller),
    }),
    tool<OverrideArguments>({
      name: "set_override",
      title: "Override the plan",
      description:
        "Overrides the plan of a device or of the battery. It takes two calls: the first changes nothing and answers what would happen, what it costs, and a confirmation; tell that to the person, and only if the person agrees call again with the same arguments and the confirmation. It is valid for five minutes and once.",
      schema: {
        type: "object",
        required: ["device", "override"],
        properties: {
          device: deviceSchema,
          override: {
            type: "string",
            enum: ACTIONS,
            description:
              "Devices: run (on now), skip (off), full (all of its energy by until). A car: target (target_soc_pct by until), surplus (only from the sun), guest (energy_kwh for another car by until). Battery: charge (from the grid, up to target_soc_pct), hold (not discharged).",
          },
          until: {
            type: "string",
            minLength: 1,
            maxLength: 64,
            description:
              "ISO 8601 time at which it ends, at most 7 days ahead. Default: for run the end of one run of the device, for skip the end of the day, for full 07:00; for target and surplus the next departure; for guest and the battery 24 hours ahead.",
          },
          target_soc_pct: {
            type: "number",
            minimum: 0,
            maximum: 100,
            description:
              "State of charge at which charge of the battery ends, or that the car has at until with target.",
          },
          min_soc_pct: {
            type: "number",
            minimum: 0,
            maximum: 100,
            description: "With target and surplus: up to it the car is charged at once, at any price.",
          },
          energy_kwh: {
            type: "number",
            exclusiveMinimum: 0,
            maximum: 1000,
            description: "With guest, required: energy for the other car.",
          },
          confirmation: {
            type: "string",
            minLength: 1,
            maxLength: 64,
            description: "From the answer to the first call; omitted: nothing is changed.",
          },
        },
      },
      isReadOnly: false,
      run: async ({ confirmation, ...asked }, caller) => {
        const { device, ...rest } = asked;
        const slot = slotOf(caller, device);
        const subject = JSON.stringify([
          caller.site.id,
          slot,
          rest.override,
          rest.until,
          rest.target_soc_pct,
          rest.min_soc_pct,
          rest.energy_kwh,
        ]);
        const keyId = caller.access.keyId!;
        if (confirmation === undefined) {
          const until = rest.until ?? usualUntil(caller, slot, rest.override);
          const request = { slot_id: slot, ...rest, ...(until !== undefined && { until }) };
          const { cost, preview } = await override({ ...request, preview: true }, caller);
          // The end is that of a quarter-hour, and the default of the operation where none is given.
          const end = (preview as { override_until: string } | undefined)?.override_until ?? until;
          const { token, validMs } = confirmations.open(keyId, subject, request);
          const document = {
            changed: false,
            would: { ...asked, until: end ?? null },
            cost,
            confirmation: token,
            confirmation_valid_s: validMs / 1000,
          };
          return {
            document,
            text: `Nothing is changed yet. ${end === undefined ? "" : `It would end ${endText(end, caller)}. `}${costText(cost as Cost | null)} If the person agrees, call set_override again with the same arguments and confirmation ${token}.`,
          };
        }
        const request = confirmations.take(confirmation, keyId, subject);
        if (request === undefined)
          throw wrongArgument(
            "confirmation",
            "The confirmation is not valid for these arguments, used, or older than five minutes: call without it first.",
          );
        const { cost } = await override(request, caller);
        onChange(caller);
        return answer(caller, { changed: true, cost });
      },
    }),
    tool<{ device: string }>({
      name: "end_override",
      title: "End an override",
      description: "Takes an override back: the device or the battery follows the plan again.",
      schema: { type: "object", required: ["device"], properties: { device: deviceSchema } },
      isReadOnly: false,
      run: async ({ device }, caller) => {
        await override({ slot_id: slotOf(caller, device), override: "auto" }, caller);
        onChange(caller);
        return answer(caller, { changed: true });
      },
    }),
  ];
}

const endText = (until: string, { site, now }: ToolCaller) =>
  formatOf("en", site.plant.timezone).moment(new Date(until), now);

type Cost =
  | { more_than_plan_eur: number }
  | { energy_kwh: number; cost_eur: number; plan_energy_kwh: number; plan_cost_eur: number };

function costText(cost: Cost | null): string {
  if (cost === null) return "What it costs is not known.";
  if ("more_than_plan_eur" in cost) return batteryCostText(cost.more_than_plan_eur, format);
  return `It is ${number(cost.energy_kwh, 1)} kWh for ${number(cost.cost_eur)} €; the plan has ${number(cost.plan_energy_kwh, 1)} kWh for ${number(cost.plan_cost_eur)} €.`;
}

function inForceText({
  battery,
  devices,
}: {
  battery: { override: string; override_until: string | null } | null;
  devices: { name: string; override: string; override_until: string | null }[];
}): string {
  const all = [...(battery === null ? [] : [{ name: BATTERY_DEVICE, ...battery }]), ...devices];
  const changed = all.filter((one) => one.override !== "auto");
  if (changed.length === 0) return "No override is in force: everything follows the plan.";
  return changed
    .map((one) => `${one.name}: ${one.override} until ${one.override_until ?? "it is taken back"}.`)
    .join(" ");
}
