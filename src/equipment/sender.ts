import type { Clock } from "../core/time/clock.js";
import { DeviceError, type DeviceRequest, requestText, sourcePlace } from "./command.js";
import type { DeviceCommands } from "./device-commands.js";
import type { DeviceReader } from "./reader.js";
import type { Transport } from "./transport/transport.js";

const READ_AGAIN_MS = 1_000;

interface SenderOptions {
  device: DeviceCommands;
  transport: Transport;
  reader: DeviceReader;
  clock: Clock;
  /** Why nothing may be sent to the device now. */
  refusal?: (() => DeviceError | undefined) | undefined;
  /** Called with each request before it is sent. */
  onSend(text: string): void;
}

/** Sends the requests of one device in their order. */
export class DeviceSender {
  readonly #options: SenderOptions;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** Sends requests one after another, each after the answer to the one before. Throws DeviceError. */
  async send(requests: readonly DeviceRequest[], signal: AbortSignal): Promise<void> {
    const { transport, device, onSend, refusal } = this.#options;
    const refused = refusal?.();
    if (refused !== undefined) throw refused;
    for (const request of requests) {
      signal.throwIfAborted();
      const since = transport.mark();
      onSend(device.redact(requestText(request)));
      await transport.send(request, signal);
      if (request.pauseMs > 0) await this.sleep(request.pauseMs, signal);
      if (request.until !== undefined) await this.#until(request.until, since, signal);
    }
  }

  /** Waits by the clock. Throws when aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    return new Promise((resolve, reject) => {
      const abort = () => {
        cancel();
        reject(signal.reason as Error);
      };
      const cancel = clock.at(new Date(clock.now().getTime() + ms), () => {
        signal.removeEventListener("abort", abort);
        resolve();
      });
      if (signal.aborted) abort();
      else signal.addEventListener("abort", abort, { once: true });
    });
  }

  async #until(
    { condition, deadlineMs }: NonNullable<DeviceRequest["until"]>,
    since: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, reader, device } = this.#options;
    const endMs = clock.now().getTime() + deadlineMs;
    while (!(await reader.holds(condition, since, signal))) {
      const leftMs = endMs - clock.now().getTime();
      const place = sourcePlace(condition.source);
      if (leftMs <= 0)
        throw new DeviceError(
          "not_confirmed",
          device.redact(`${place} is not ${condition.expected.join(" or ")}`),
        );
      await this.sleep(Math.min(READ_AGAIN_MS, leftMs), signal);
    }
  }
}
