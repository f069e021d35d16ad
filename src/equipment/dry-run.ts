import { requestText } from "./command.js";
import type { DeviceCommands } from "./device-commands.js";
import type { EventLog } from "./event-log.js";
import { unlessExpressionFails, type Variables } from "./expression.js";
import type { Wanted } from "./wanted.js";

/** Notes in dry run what would be sent, once for each state. */
export class DryRun {
  readonly #device: DeviceCommands;
  readonly #log: EventLog;
  #shown = "";

  constructor(device: DeviceCommands, log: EventLog) {
    this.#device = device;
    this.#log = log;
  }

  /** The next state is shown whatever it is. */
  reset(): void {
    this.#shown = "";
  }

  show(planned: Wanted | undefined, live: Variables): void {
    if (planned === undefined || planned.state === this.#shown) return;
    this.#shown = planned.state;
    for (const request of unlessExpressionFails(() => this.#device.requests(planned, live), []))
      this.#log.note("would_send", planned.state, requestText(request));
  }
}
