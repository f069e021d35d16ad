import { AddressQueue } from "./address-queue.js";
import { Backoff } from "./backoff.js";
import { ModbusConnection, type ModbusConnectionOptions } from "./modbus-connection.js";
import { RctConnection, type RctOptions } from "./rct-connection.js";
import { SpeedwireListener } from "./speedwire.js";

/** What all devices at an address share. */
interface Shared<Part> {
  part: Part;
  users: number;
}

interface HttpAddress {
  queue: AddressQueue;
  reach: Backoff;
}

/** The addresses of all devices: one conversation at a time with each, for readings and commands. */
export class Addresses {
  readonly #modbus = new Map<string, Shared<ModbusConnection>>();
  readonly #rct = new Map<string, Shared<RctConnection>>();
  readonly #http = new Map<string, HttpAddress>();
  readonly #speedwire = new Map<string, Shared<SpeedwireListener>>();
  readonly #pausesMs: readonly number[] | undefined;

  constructor(options: { pausesMs?: readonly number[] } = {}) {
    this.#pausesMs = options.pausesMs;
  }

  /** The connection to a Modbus address, for all units there; it ends with its last user. */
  modbus(options: Omit<ModbusConnectionOptions, "pausesMs">): {
    connection: ModbusConnection;
    release(): void;
  } {
    const address = `${options.host.toLowerCase()} ${options.port} `;
    for (const [key, shared] of this.#modbus)
      if (key.startsWith(address) && shared.part.suits(options))
        return { connection: shared.part, release: use(this.#modbus, key, shared) };
    const part = new ModbusConnection({ ...options, pausesMs: this.#pausesMs });
    const release = use(this.#modbus, address + options.framings.join(","), { part, users: 0 });
    return { connection: part, release };
  }

  /** The connection to an inverter of RCT Power. */
  rct(options: Omit<RctOptions, "pausesMs">): { connection: RctConnection; release(): void } {
    const key = `${options.host.toLowerCase()} ${options.port}`;
    const shared = this.#rct.get(key) ?? {
      part: new RctConnection({ ...options, pausesMs: this.#pausesMs }),
      users: 0,
    };
    return { connection: shared.part, release: use(this.#rct, key, shared) };
  }

  /** The queue of the address of a URL. */
  http(url: string): HttpAddress {
    const key = URL.canParse(url) ? new URL(url).host : url;
    const known = this.#http.get(key) ?? {
      queue: new AddressQueue(),
      reach: new Backoff(undefined, this.#pausesMs),
    };
    this.#http.set(key, known);
    return known;
  }

  /** The listener to a group of meters. */
  speedwire(options: { now: () => number; group: string; port: number }): {
    listener: SpeedwireListener;
    release(): void;
  } {
    const key = `${options.group}:${options.port}`;
    const known = this.#speedwire.get(key);
    const shared = known ?? { part: new SpeedwireListener(options), users: 0 };
    if (known === undefined) shared.part.start();
    return { listener: shared.part, release: use(this.#speedwire, key, shared) };
  }
}

function use<Part extends { stop(): void }>(
  all: Map<string, Shared<Part>>,
  key: string,
  shared: Shared<Part>,
) {
  all.set(key, shared);
  shared.users++;
  let isReleased = false;
  return () => {
    if (isReleased) return;
    isReleased = true;
    if (--shared.users > 0) return;
    shared.part.stop();
    if (all.get(key) === shared) all.delete(key);
  };
}
