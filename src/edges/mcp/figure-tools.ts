import { savingsPageDocument } from "../../api/documents/savings-page.js";
import type { Document } from "../../api/operation.js";
import { localDate } from "../../core/time/zone.js";
import type { Ledger } from "../../money/ledger/ledger.js";
import { savingsView } from "../../money/ledger/savings-view.js";
import { type Format, formatOf } from "../../texts/format.js";
import { savedText } from "./saved-text.js";
import { type RunOperation, type Tool, tool, wrongArgument } from "./tool.js";

export interface FigureToolOptions {
  ledger: Pick<Ledger, "days" | "months" | "firstDate">;
  /** POST /v1/decision/hours-demand. */
  plan: RunOperation;
  /** GET /v1/forecast. */
  prices: RunOperation;
}

const hoursSchema = {
  type: "integer",
  minimum: 1,
  maximum: 168,
  description: "Hours ahead, 1 to 168; default 24.",
} as const;

interface PricedHour {
  start: string;
  end: string;
  price_ct_kwh: number | null;
  total_ct_kwh?: number | null;
}

/** Numbers as the portal writes them. */
const { number } = formatOf("en", "UTC");

/** Plan, prices and savings. */
export function figureTools({ ledger, plan, prices }: FigureToolOptions): Tool[] {
  return [
    tool<{ hours?: number }>({
      name: "plan",
      title: "Plan of battery and devices",
      description:
        "The plan in force: what the battery does in each hour ahead and why, when it charges from the grid, expected load, PV, import, export and state of charge, the schedules of the devices, and the expected saving. Prices in ct/kWh, energies in kWh, amounts in EUR.",
      schema: { type: "object", properties: { hours: hoursSchema } },
      isReadOnly: true,
      run: async ({ hours = 24 }, caller) => {
        if (caller.site.plant.battery === null)
          return {
            document: { hours: [] },
            text: "This home has no battery: status has its devices and their runs.",
          };
        const { day_plan, charge_hours_today: _, solver: __, access: ___, ...rest } = await plan({}, caller);
        const ahead = (day_plan as { hours: { end: string }[] }[])
          .flatMap((day) => day.hours)
          .filter(({ end }) => new Date(end) > caller.now);
        const [{ soc_start_pct: soc }] = day_plan as [{ soc_start_pct: number | null }];
        const format = formatOf("en", caller.site.plant.timezone);
        return {
          document: { ...rest, hours: ahead.slice(0, hours) },
          text: planText(rest, { soc, now: caller.now, format }),
        };
      },
    }),
    tool<{ hours?: number; resolution_minutes?: 15 | 60 }>({
      name: "prices",
      title: "Electricity prices",
      description:
        "Electricity prices ahead in ct/kWh: market price (price_ct_kwh), with the home's tariff also what a kWh costs all-in (total_ct_kwh) and what feed-in pays (export_ct_kwh). Hours that are not published yet are forecast, with p10 and p90.",
      schema: {
        type: "object",
        properties: {
          hours: hoursSchema,
          resolution_minutes: { type: "integer", enum: [15, 60], description: "Default 60." },
        },
      },
      isReadOnly: true,
      run: async ({ hours = 24, resolution_minutes = 60 }, caller) => {
        const { prices: all, access: _, ...rest } = await prices({ resolution_minutes }, caller);
        const ahead = (all as PricedHour[])
          .filter(({ end }) => new Date(end) > caller.now)
          .slice(0, (hours * 60) / resolution_minutes);
        // The sentence has the prices of settlement periods, as every other surface.
        const quarters =
          resolution_minutes === 15
            ? (all as PricedHour[])
            : ((await prices({ resolution_minutes: 15 }, caller)).prices as PricedHour[]);
        const lastEnd = ahead.at(-1)?.end ?? "";
        const periods = quarters.filter(
          ({ start, end }) => new Date(end) > caller.now && new Date(start) < new Date(lastEnd),
        );
        const format = formatOf("en", caller.site.plant.timezone);
        return {
          document: { ...rest, prices: ahead },
          text: pricesText(periods, { now: caller.now, format }),
        };
      },
    }),
    tool<{ month?: string }>({
      name: "savings",
      title: "Savings",
      description:
        "What the control of battery and devices has saved against the same home without it, in EUR: today, this week, this month and in total; and each day of a month with its cost, the cost without control, without a battery, and with perfect foresight.",
      schema: {
        type: "object",
        properties: {
          month: {
            type: "string",
            description: "YYYY-MM, such as 2026-05; omitted: this month.",
          },
        },
      },
      isReadOnly: true,
      run: async ({ month }, { site, now }) => {
        if (month !== undefined && !/^\d{4}-(0[1-9]|1[0-2])$/.test(month))
          throw wrongArgument("month", "month must be a month as YYYY-MM, such as 2026-05.");
        const asked = month ?? localDate(now, site.plant.timezone).slice(0, 7);
        const { site: _, ...document } = savingsPageDocument(await savingsView(ledger, site, asked, now));
        const { now: saved, total } = document;
        const text = savedText([
          ["today", saved?.today_eur],
          ["this week", saved?.week_eur],
          [`in ${asked}`, total.saved_eur],
          ["in total", saved?.total_eur],
        ]);
        return { document, text };
      },
    }),
  ];
}

function planText(
  plan: Document,
  { soc, now, format }: { soc: number | null; now: Date; format: Format },
): string {
  const { charge_hours, savings_eur } = plan as {
    charge_hours: { start: string; end: string; energy_kwh: number; total_ct_kwh: number }[];
    savings_eur: number | null;
  };
  const [next] = charge_hours;
  return [
    ...(soc === null ? [] : [`The plan starts from ${number(soc, 0)} % state of charge.`]),
    next === undefined
      ? "The battery is not charged from the grid."
      : `The battery is charged from the grid ${format.span({ start: new Date(next.start), end: new Date(next.end) }, now)}: ${number(next.energy_kwh, 1)} kWh at ${number(next.total_ct_kwh)} ct/kWh.`,
    `Expected saving over the plan: ${number(savings_eur)} €.`,
  ].join(" ");
}

function pricesText(periods: readonly PricedHour[], { now, format }: { now: Date; format: Format }): string {
  const priceOf = ({ total_ct_kwh, price_ct_kwh }: PricedHour) => total_ct_kwh ?? price_ct_kwh ?? Number.NaN;
  const [present] = periods;
  if (present === undefined) return "No prices are known.";
  const lowest = periods.reduce((least, period) => (priceOf(period) < priceOf(least) ? period : least));
  return `Now ${number(priceOf(present))} ct/kWh${present.total_ct_kwh === undefined ? " (market price)" : " all-in"}; lowest ${number(priceOf(lowest))} ct/kWh ${format.moment(new Date(lowest.start), now)}.`;
}
