import { daysCsv, type HistoryDay } from "../../api/documents/history.js";
import { savingsDocument } from "../../api/documents/savings.js";
import type { Site } from "../../config/site.js";
import { addDays } from "../../core/time/zone.js";
import type { Ledger } from "../../money/ledger/ledger.js";
import type { DayFigures } from "../../money/ledger/ledger-day.js";
import { TariffError } from "../../tariff/tariff.js";
import { AdminError, type AdminServices, ArgumentError, adminOperation, name, siteOf } from "./operation.js";

/** Longest period of one request, days: three years. */
const LONGEST_DAYS = 1096;

interface Period {
  from: string;
  to: string;
  site?: string;
}

/** Commands about savings and the days of the ledger. */
export const savingsOperations = {
  savings: adminOperation(
    { required: { from: name, to: name }, optional: { site: name } },
    async (services, period) => {
      const { ledger, site } = ledgerSite(services, period);
      return savingsDocument(await daysOf(ledger, site, period));
    },
  ),

  "export history": adminOperation(
    { required: { from: name, to: name }, optional: { site: name } },
    async (services, period) => {
      const { ledger, site } = ledgerSite(services, period);
      const days: HistoryDay[] = [];
      for (const figures of await daysOf(ledger, site, period)) {
        const { quarters } = await ledger.details(site.id, figures.date);
        days.push({ figures, quarters });
      }
      return { lines: daysCsv(days) };
    },
  ),
};

/** The ledger and the site of a valid request. Throws ArgumentError. */
function ledgerSite(services: AdminServices, { from, to, site: id }: Period) {
  for (const [option, date] of Object.entries({ from, to })) {
    if (!isDate(date))
      throw new ArgumentError(`--${option} must be a date such as 2026-07-01, not "${date}".`);
  }
  if (to < from) throw new ArgumentError(`--to must not be before --from: ${to} is before ${from}.`);
  if (addDays(from, LONGEST_DAYS - 1) < to)
    throw new ArgumentError(`From ${from} to ${to} are more than three years: ask for a shorter period.`);
  return { ledger: services.ledger, site: siteOf(services, id) };
}

async function daysOf(ledger: Pick<Ledger, "days">, site: Site, { from, to }: Period): Promise<DayFigures[]> {
  try {
    return await ledger.days(site, from, to);
  } catch (error) {
    if (error instanceof TariffError) throw new AdminError(error.message);
    throw error;
  }
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}
