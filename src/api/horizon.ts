import { type Access, accessDocument } from "../accounts/access.js";
import type { ForecastView } from "./documents/forecast.js";
import { notReady } from "./not-available.js";
import type { Call } from "./operation.js";
import type { Services } from "./services.js";

/** Input of the operations whose answers contain times. */
export type Zoned = { timezone?: string };

/** Length of the forecast for a caller, in elapsed hours. */
function horizonHours(access: Access): number {
  return access.tier === "basic" ? 48 : 168;
}

/** The plant's time zone; for callers without a plant the gateway's default. */
export function localZone(services: Services, access: Access): string {
  return access.site?.plant.timezone ?? services.zoneDefault;
}

/** The forecast for this caller. Throws ApiError `not_ready` before the first run. */
export function forecastView(services: Services, { access, input }: Call<Zoned>): ForecastView {
  // Called first: it starts a new run if the current one no longer covers the horizon.
  const hours = services.forecast.hours(horizonHours(access));
  const run = services.forecast.current();
  if (hours === undefined || run === undefined) throw notReady();
  return {
    run,
    hours,
    zone: input.timezone ?? localZone(services, access),
    tariff: access.site === undefined ? undefined : services.tariff(access.site.id),
    intervals: access.tier !== "basic",
    access: accessDocument(access),
  };
}

/**
 * Cache keys of forecast answers: the run, the current hour, the tier and the plant. Objects are compared by identity, so
 * that a new run or tariff changes the key even within the same second.
 */
export class ForecastKeys {
  readonly #numbers = new WeakMap<object, number>();
  #next = 1;

  of(services: Services, { access, input }: Call<Zoned>): string {
    const hours = services.forecast.hours(horizonHours(access));
    const site = access.site;
    return [
      this.number(services.forecast.current()),
      hours?.[0]?.start.getTime() ?? 0,
      access.label,
      access.tokenPresent,
      access.tokenValid,
      input.timezone ?? localZone(services, access),
      site?.id ?? "",
      this.number(site === undefined ? undefined : services.tariff(site.id)),
    ].join("|");
  }

  /** A unique number for an object. */
  number(object: object | undefined): number {
    if (object === undefined) return 0;
    let number = this.#numbers.get(object);
    if (number === undefined) {
      number = this.#next++;
      this.#numbers.set(object, number);
    }
    return number;
  }
}
