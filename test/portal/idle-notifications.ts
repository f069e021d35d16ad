import { PriceSeries } from "../../src/forecast/market/price-series.js";
import { type NotificationOptions, NotificationService } from "../../src/messages/notifications/service.js";

type Base = Pick<NotificationOptions, "clock" | "bus" | "state" | "documents" | "sites" | "baseUrl" | "log">;

/** Notifications that are not started, without a mail server and without names on the network. */
export function idleNotifications(base: Base): NotificationService {
  return new NotificationService({
    ...base,
    actuators: { list: () => [] },
    plans: { current: () => undefined },
    telemetry: { live: () => ({}) },
    prices: { published: () => PriceSeries.empty },
    tariff: () => undefined,
    freshness: { staleMinutes: 10, lostMinutes: 60 },
    report: async () => undefined,
    story: async () => undefined,
    mailer: { attempt: async () => ({ fault: "no_mail_server" }) },
    allowPrivateHosts: false,
    version: "0.0.0",
    resolve: async () => [],
  });
}
