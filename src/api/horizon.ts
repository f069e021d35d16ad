import { type Access, accessDocument } from "../accounts/access.js";
import type { ForecastView } from "../documents/forecast.js";
import { notReady } from "./not-available.js";
import type { Call } from "./operation.js";
import type { Services } from "./services.js";

/** Input of the operations whose answer is dated. */
export type Zoned = { timezone?: string };

/** Elapsed hours of forecast that a caller is served. */
function horizonHours(access: Access): number {
  return access.tier === "basic" ? 48 : 168;
}

/** The plant's zone, for callers without a plant the gateway's default. */
export function localZone(services: Services, access: Access): string {
  return access.site?.plant.timezone ?? services.zoneDefault;
}

/** The forecast as this caller sees it. Throws ApiError `not_ready` before the first run. */
export function forecastView(services: Services, { access, input }: Call<Zoned>): ForecastView {
  // Asked first: a run that no longer covers the horizon is made anew by it.
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
 * What a forecast answer depends on, as a text: the run, the hour in progress, the tier and the plant. Objects are told
 * apart by identity, so a new run or tariff makes a new text even within the second.
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

  /** A number for an object, another one for every other. */
  number(thing: object | undefined): number {
    if (thing === undefined) return 0;
    let number = this.#numbers.get(thing);
    if (number === undefined) {
      number = this.#next++;
      this.#numbers.set(thing, number);
    }
    return number;
  }
}
