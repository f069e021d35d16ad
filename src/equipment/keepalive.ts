import type { Clock } from "../core/time/clock.js";
import type { DeviceCommands } from "./device-commands.js";
import type { Variables } from "./expression.js";
import type { Transport } from "./transport/transport.js";

/** Longest time of one request. */
const LIMIT_MS = 5_000;

interface KeepaliveOptions {
  device: DeviceCommands;
  transport: Transport;
  clock: Clock;
  live(): Variables;
}

/** The messages by which a device publishes its values, or notices that the gateway is gone. */
export class Keepalive {
  readonly #options: KeepaliveOptions;
  #atMs = 0;
  #tick = 0;

  constructor(options: KeepaliveOptions) {
    this.#options = options;
  }

  /** The next one, ms since 1970; Infinity where the template has none. */
  get atMs(): number {
    return this.#atMs;
  }

  get tick(): number {
    return this.#tick;
  }

  /** Sends it if it is due; `isActive`: the device follows a plan. A failure is seen by the next command or reading. */
  async send({ isEnabled, isActive }: { isEnabled: boolean; isActive: boolean }): Promise<void> {
    const { device, transport, clock, live } = this.#options;
    const keepalive = device.keepalive(live());
    const nowMs = clock.now().getTime();
    if (keepalive === undefined) this.#atMs = Infinity;
    if (keepalive === undefined || nowMs < this.#atMs) return;
    this.#atMs = nowMs + keepalive.everyMs;
    if (!isActive && !(keepalive.isAlways && isEnabled)) return;
    this.#tick++;
    for (const request of device.keepalive(live())!.requests)
      await transport.send(request, AbortSignal.timeout(LIMIT_MS)).catch(() => {});
  }
}
