import { EventEmitter } from "node:events";
import type { ActuatorChange } from "./domain/actuator.js";
import type { FollowingCause, FollowingState } from "./domain/battery.js";
import type { Sample } from "./domain/sample.js";

/**
 * Events of a gateway. Services emit them; edges and other services subscribe. An event that carries a type of another module
 * is declared beside that type.
 */
export interface Events {
  /** A site was removed; nothing of it may be shown or computed any more. */
  "site.removed": [{ siteId: string }];
  /** Password or second factor of an account have changed, or the account was deleted. */
  "account.credentials_changed": [{ accountId: string }];
  /** The user chose another language for the portal. */
  "account.language_changed": [{ accountId: string }];
  /** The battery of a site began or ceased to follow its commands, or the cause changed. */
  "following.changed": [{ siteId: string; state: FollowingState; cause: FollowingCause }];
  /** A sample was stored and is part of the live state of the site. */
  "telemetry.received": [{ siteId: string; sample: Sample }];
  /** Samples were added to the history, including late ones that do not change the live state. */
  "telemetry.stored": [{ siteId: string; samples: readonly Sample[] }];
  /** Meter files of a site were imported, or an import was removed. */
  "meter.changed": [{ siteId: string }];
  /** The savings of a site were computed: today so far, or a day that is over. */
  "savings.updated": [{ siteId: string }];
  /** The load model of a site was updated. */
  "load.learned": [{ siteId: string }];
  /** The weather of a site changed. */
  "weather.updated": [{ siteId: string }];
  /** The PV forecast of a site was computed. */
  "pv.updated": [{ siteId: string }];
  /**
   * A slot of a site changed: its window, demand, plug state, start or end. `powerOnly`: only the power that follows the
   * measured surplus; nothing has to be planned again.
   */
  "slots.updated": [{ siteId: string; powerOnly?: boolean }];
  /** The devices of a site were planned with its battery, or could not be; their schedules are final until something changes. */
  "devices.planned": [{ siteId: string }];
  /** The plug of a wallbox was set to another value. */
  "plug.changed": [{ siteId: string; slot: number; plugged: 0 | 1; at: Date }];
  /** A key or link of the site was used, or a client of the broker connected, sent something or left. */
  "connection.used": [{ siteId: string }];
  /** The state of an actuator changed, or it was removed. */
  "actuator.changed": [ActuatorChange];
  /** A device was read, or its state changed. */
  "device.read": [{ siteId: string; id: string }];
}

/** The one bus of a gateway. */
export type Bus = EventEmitter<Events>;

export function createBus(): Bus {
  const bus = new EventEmitter<Events>();
  // Every site and every edge subscribes: Node's warning at eleven listeners would be a false alarm.
  bus.setMaxListeners(0);
  return bus;
}

/** Subscribes to the given events; returns the function that unsubscribes. */
export function subscribe(
  bus: Bus,
  listeners: { readonly [Name in keyof Events]?: (...event: Events[Name]) => void },
): () => void {
  const entries = Object.entries(listeners) as [keyof Events, () => void][];
  for (const [name, listener] of entries) bus.on(name, listener);
  return () => {
    for (const [name, listener] of entries) bus.off(name, listener);
  };
}
