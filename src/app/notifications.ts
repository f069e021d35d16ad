import type { Settings } from "../config/settings.js";
import { addDays } from "../core/time/zone.js";
import { VERSION } from "../core/version.js";
import type { ActuatorService } from "../equipment/service.js";
import { NotificationService } from "../messages/notifications/service.js";
import { BillError, billServiceOf } from "../money/bill/bill-service.js";
import { totalOf } from "../money/ledger/totals.js";
import { TariffError } from "../tariff/tariff.js";
import type { Foundation } from "./foundation.js";
import type { Inputs } from "./inputs.js";
import type { Planning } from "./planning.js";

/** The notifications of all accounts, with what the core and the actuators know of their sites. */
export function notificationsOf(
  settings: Settings,
  { foundation, inputs, planning }: { foundation: Foundation; inputs: Inputs; planning: Planning },
  actuators: ActuatorService,
): NotificationService {
  const { clock, bus, store, registry, tariff, mail, baseUrl, log } = foundation;
  const bills = billServiceOf(store, registry);
  const { stale_minutes: staleMinutes, lost_minutes: lostMinutes } = settings.telemetry;
  return new NotificationService({
    clock,
    bus,
    state: store.state,
    documents: store.documents,
    sites: registry,
    facts: ({ id }) => ({
      actuators: actuators.list(id),
      plan: planning.plans.current(id),
      live: inputs.telemetry.live(id),
      limits: { staleMinutes, lostMinutes },
      published: inputs.prices.published(),
      tariff: tariff(id),
    }),
    report: async (site, month) => {
      const last = addDays(`${addDays(`${month}-01`, 31).slice(0, 7)}-01`, -1);
      const days = await planning.ledger.days(site, `${month}-01`, last);
      const counted = days.filter(({ savedEur }) => savedEur !== null);
      const bill = await bills.month({ site: site.id, month }).catch((error: unknown) => {
        if (!(error instanceof BillError || error instanceof TariffError)) throw error;
        return undefined;
      });
      if (counted.length === 0 && bill === undefined) return undefined;
      return {
        month,
        savedEur: totalOf(counted).savedEur,
        days: counted.length,
        ofDays: days.length,
        billEur: bill?.bill.totalEur ?? null,
        missingHours: bill?.missingHours ?? 0,
      };
    },
    mailer: mail,
    baseUrl,
    allowPrivateHosts: settings.webhooks.allow_private_hosts,
    version: VERSION,
    log,
  });
}
