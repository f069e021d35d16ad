import {
  batteryNowDocument,
  type DeviceNowDocument,
  deviceNowDocument,
  type HomeView,
  homeDocument,
} from "../../api/documents/home.js";
import { deviceCostDocument } from "../../api/documents/override-cost.js";
import type { Services } from "../../api/services.js";
import type { TimedValue } from "../../core/domain/counter.js";
import { MINUTE_MS } from "../../core/domain/interval.js";
import type { LedgerService } from "../../money/ledger/service.js";
import { HORIZON_HOURS } from "../../plan/windows/answer.js";
import type { SlotPlan } from "../../plan/windows/slot-schedule.js";
import { slotMoment } from "../../plan/windows/slot-schedule.js";
import { usualRunEnd } from "../../plan/windows/usual-end.js";
import { FRESH_MS } from "../../telemetry/measured-powers.js";
import { formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import { BATTERY_DEVICE, foundDevice } from "./found-device.js";
import { savedText } from "./saved-text.js";
import { type RunOperation, type Tool, type ToolCaller, tool } from "./tool.js";

export interface HomeToolOptions {
  services: Services;
  savings: Pick<LedgerService, "now">;
  /** GET /v1/plant/why. */
  whyThen: RunOperation;
}

/** What the home does now, and why. */
export function homeTools({ services, savings, whyThen }: HomeToolOptions): Tool[] {
  const viewOf = ({ site, now }: ToolCaller): HomeView => ({
    now,
    site,
    language: "en",
    plan: services.plans.current(site.id),
    hours: services.forecast.hours(HORIZON_HOURS),
    published: services.prices.published(),
    stepMinutes: services.stepMinutes,
    tariff: services.tariff(site.id),
    slots: services.flex.current(site.id),
    live: services.telemetry.live(site.id),
    savings: savings.now(site.id),
  });

  /** What switching a device on now would cost, and the plan for as much energy. */
  const costOfNow = async (siteId: string, plan: SlotPlan, now: Date) => {
    const { slot, result, plugged } = plan;
    const isDone = plugged === 0 || !result?.demandHours;
    if (isDone || slotMoment(plan, now)?.chargeNow === 1) return null;
    const until = usualRunEnd(plan, now);
    const { cost } = await services.devicePlans.tryOverride(siteId, slot, { action: "run", until });
    return deviceCostDocument(cost);
  };

  return [
    tool({
      name: "status",
      title: "Status of the home",
      description:
        "The home now: state of charge of the battery in percent, what the battery and each device do and why, readings in kW and kWh, and what was saved today, this week, this month and in total in EUR.",
      schema: { type: "object", properties: {} },
      isReadOnly: true,
      quotaClass: "status",
      run: (_input, caller) => {
        const document = homeDocument(viewOf(caller));
        const { battery, devices, saved } = document;
        const parts = [
          ...socText(services.telemetry.live(caller.site.id).soc_pct, caller.now),
          ...(battery === null ? [] : [sentenceOf(battery.sentence)]),
          ...devices.map(deviceText),
          ...(saved === null
            ? []
            : [
                savedText([
                  ["today", saved.today_eur],
                  ["this week", saved.week_eur],
                ]),
              ]),
        ];
        return { document, text: parts.join(" ") || "Nothing is known of this home yet." };
      },
    }),
    tool<{ device?: string; at?: string }>({
      name: "why",
      title: "Why it does what it does",
      description:
        "Why the battery or a device (the car's wallbox, boiler, heat pump) does what it does, or does not run: reason with prices, planned runs and their cost, and what switching it on now would cost instead. With at, for a past hour: what was known, what was decided, and what came of it.",
      schema: {
        type: "object",
        properties: {
          device: {
            type: "string",
            minLength: 1,
            maxLength: 100,
            description: "Name of a device as in status, its kind such as wallbox, or battery; omitted: all.",
          },
          at: {
            type: "string",
            minLength: 1,
            maxLength: 64,
            description: "ISO 8601 time in a past hour, about the whole home; omitted: now.",
          },
        },
      },
      isReadOnly: true,
      run: async ({ device, at }, caller) => {
        if (at !== undefined) {
          const { access: _, ...document } = await whyThen({ at, locale: "en" }, caller);
          return { document, text: String(document.sentence) };
        }
        const view = viewOf(caller);
        const asked = device === undefined ? undefined : foundDevice(view, device);
        const isWithBattery =
          caller.site.plant.battery !== null && (asked ?? BATTERY_DEVICE) === BATTERY_DEVICE;
        const plans = view.slots.filter((plan) => asked === undefined || asked === plan.slot);
        const battery = isWithBattery ? batteryNowDocument(view) : null;
        const devices = await Promise.all(
          plans.map(async (plan) => ({
            ...deviceNowDocument(plan, view),
            cost_of_running_now: await costOfNow(caller.site.id, plan, view.now),
          })),
        );
        const sentences = [
          ...(battery === null ? [] : [battery.sentence, battery.reason_text, battery.next])
            .filter((text) => text !== null && text !== "")
            .map((text) => sentenceOf(text!)),
          ...devices.flatMap((one) => [deviceText(one), ...nowText(one.cost_of_running_now)]),
        ];
        return { document: { time: homeDocument(view).time, battery, devices }, text: sentences.join(" ") };
      },
    }),
  ];
}

/** The state of charge, rounded as on the overview; one that is not fresh with its age. */
function socText(soc: TimedValue | undefined, now: Date): string[] {
  if (soc === undefined) return [];
  const ageMs = now.getTime() - soc.at.getTime();
  const pct = `${format.number(soc.value, 0)} %`;
  if (ageMs <= FRESH_MS) return [`The battery is at ${pct}.`];
  return [`The battery was at ${pct} ${ago(format.minutes(ageMs / MINUTE_MS))}.`];
}

const sentenceOf = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);
const deviceText = ({ name, sentence }: Pick<DeviceNowDocument, "name" | "sentence">) =>
  `${name}: ${sentence}.`;
/** Numbers as the portal writes them. */
const format = formatOf("en", "UTC");
const { number } = format;
const ago = textsOf("en").dashboard.flow.age;

function nowText(cost: ReturnType<typeof deviceCostDocument>): string[] {
  if (cost === null) return [];
  return [
    `Switched on now, ${number(cost.energy_kwh, 1)} kWh would cost ${number(cost.cost_eur)} €; as planned ${number(cost.plan_energy_kwh, 1)} kWh cost ${number(cost.plan_cost_eur)} €.`,
  ];
}
