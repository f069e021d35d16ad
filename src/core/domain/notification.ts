/** What accounts can be notified of, in the order of the settings page. */
export const NOTIFICATION_KINDS = [
  "actuator_failed",
  "battery_not_following",
  "telemetry_lost",
  "negative_prices",
  "weekly_story",
  "monthly_report",
] as const;

export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

/** Ways on which a notification reaches the account. */
export const NOTIFICATION_CHANNELS = ["email", "ntfy", "webhook"] as const;

export type NotificationChannel = (typeof NOTIFICATION_CHANNELS)[number];

/** Local clock times `HH:MM`; a period that ends before it begins crosses midnight. */
export interface QuietHours {
  readonly from: string;
  readonly to: string;
}
