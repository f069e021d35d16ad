import { ActuatorInputError } from "../../equipment/input-error.js";
import type { ReadingService } from "../../equipment/reading/service.js";
import type { ActuatorService } from "../../equipment/service.js";
import type { PriceService } from "../../forecast/market/price-service.js";
import { textsOf } from "../../texts/index.js";
import { formButton } from "../ui/parts.js";
import type { PartProps } from "./view.js";

/** What can be tried again at once. */
export interface RetryOptions {
  actuators: Pick<ActuatorService, "takeOver">;
  devices: Pick<ReadingService, "read">;
  prices: Pick<PriceService, "retry">;
}

type Retried = { kind: "prices" } | { kind: "actuator" | "device"; id: string };

/** What a component of a site is about that can be tried again; undefined: it repairs itself, or its owner has to. */
function retriedOf(component: string, siteId: string): Retried | undefined {
  if (component === "price_source") return { kind: "prices" };
  for (const kind of ["actuator", "device"] as const) {
    const prefix = `${kind}/${siteId}/`;
    if (component.startsWith(prefix)) return { kind, id: component.slice(prefix.length) };
  }
  return undefined;
}

/** Tries a failed component again; false if it is none of the site that can be. Resolves when it is known to work, or not. */
export async function retry(
  { actuators, devices, prices }: RetryOptions,
  component: string,
  siteId: string,
): Promise<boolean> {
  const retried = retriedOf(component, siteId);
  if (retried === undefined) return false;
  try {
    if (retried.kind === "prices") await prices.retry();
    else if (retried.kind === "actuator") await actuators.takeOver(siteId, retried.id);
    else await devices.read(siteId, retried.id);
  } catch (error) {
    // One that cannot run: its alert says why.
    if (!(error instanceof ActuatorInputError)) throw error;
  }
  return true;
}

/** The button that tries a failed component again, where that makes sense. */
export function RetryButton({ house, format, component }: PartProps & { component: string }) {
  if (retriedOf(component, house.site.id) === undefined) return null;
  return formButton(house, "/dashboard/retry", textsOf(format.language).dashboard.alert.retry, {
    hidden: { component },
    kind: "plain",
  });
}
