import { AddressQueue } from "./address-queue.js";
import { Backoff } from "./backoff.js";
import { ModbusConnection, type ModbusConnectionOptions } from "./modbus-connection.js";
import { RctConnection, type RctOptions } from "./rct-connection.js";
import { SpeedwireListener } from "./speedwire.js";

/** What all devices at an address share. */
interface Shared {
  part: { stop(): void };
  users: number;
}

interface HttpAddress {
  queue: AddressQueue;
  reach: Backoff;
}

/** The addresses of all devices: one conversation at a time with each, for readings and commands. */
export class Addresses {
  readonly #shared = new Map<string, Shared>();
  readonly #http = new Map<string, HttpAddress>();
  readonly #pausesMs: readonly number[] | undefined;

  constructor(options: { pausesMs?: readonly number[] } = {}) {
    this.#pausesMs = options.pausesMs;
  }

  /** The connection to a Modbus address, for all units there; it ends with its last user. */
  modbus(options: Omit<ModbusConnectionOptions, "pausesMs">) {
    const address = `modbus ${options.host.toLowerCase()} ${options.port} `;
    const [known] = [...this.#shared].find(
      ([key, { part }]) => key.startsWith(address) && part instanceof ModbusConnection && part.suits(options),
    ) ?? [address + options.framings.join(",")];
    return this.#use(known, () => new ModbusConnection({ ...options, pausesMs: this.#pausesMs }));
  }

  /** The connection to an inverter of RCT Power. */
  rct(options: Omit<RctOptions, "pausesMs">) {
    const key = `rct ${options.host.toLowerCase()} ${options.port}`;
    return this.#use(key, () => new RctConnection({ ...options, pausesMs: this.#pausesMs }));
  }

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
  speedwire(options: { now: () => number; group: string; port: number }) {
    return this.#use(`speedwire ${options.group}:${options.port}`, () => {
      const listener = new SpeedwireListener(options);
      listener.start();
      return listener;
    });
  }

  /** What all users of a key share; it ends with the last one. */
  #use<Part extends { stop(): void }>(key: string, make: () => Part): { connection: Part; release(): void } {
    const shared = this.#shared.get(key) ?? { part: make(), users: 0 };
    this.#shared.set(key, shared);
    shared.users++;
    let isReleased = false;
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      if (--shared.users > 0) return;
      shared.part.stop();
      if (this.#shared.get(key) === shared) this.#shared.delete(key);
    };
    return { connection: shared.part as Part, release };
  }
}
