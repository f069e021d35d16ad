import type { Clock } from "../../core/time/clock.js";
import { DeviceError } from "../command.js";
import type { ReadChannels } from "./channels.js";
import { type Node, sourcesOf } from "./compile.js";
import { aheadS } from "./device-time.js";
import type { Evaluated } from "./evaluate.js";
import { CLOCK, FACT_UNITS, type IdentityKey } from "./names.js";
import type { DevicePoll, Polled } from "./poll.js";

export interface DeviceIdentityOptions {
  /** Shown address. */
  address: string;
  /** Serial number that it must have; null: the one that it shows first. */
  serial: string | null;
  facts: ReadonlyMap<string, Node>;
  identity: ReadonlyMap<string, Node>;
  channels: Pick<ReadChannels, "modbus">;
  poll: DevicePoll;
  clock: Clock;
}

type Identity = Partial<Record<IdentityKey, string>>;

/** Facts and identity are read again after this time, and after each connection or missed poll. */
const IDENTIFY_MS = 3_600_000;
/** Over HTTP another device at the address cannot be seen by its connection. */
const IDENTIFY_HTTP_MS = 60_000;

/** Who a device is, and what it can do. Routers give an address to another device after a while. */
export class DeviceIdentity {
  readonly #options: DeviceIdentityOptions;
  facts: Readonly<Record<string, number>> = {};
  identity: Readonly<Identity> = {};
  /** How far the device's clock is ahead, s. */
  clockAheadS = 0;
  /** Another device is at its address. */
  stranger: DeviceError | undefined;
  /** Serial number of the device that is meant. */
  #serial: string | undefined;
  #read = { atMs: -Infinity, epoch: 0 };

  constructor(options: DeviceIdentityOptions) {
    this.#options = options;
    this.#serial = options.serial ?? undefined;
  }

  /** Whether it is to be read: it has been some time ago, or it may be another device by now. */
  isDue(wasMissed: boolean): boolean {
    const { clock, facts, identity, channels } = this.#options;
    if (facts.size + identity.size === 0) return false;
    const { atMs, epoch } = this.#read;
    const isSeen = channels.modbus !== undefined || !identity.has("serial");
    const ageMs = Math.abs(clock.now().getTime() - atMs);
    return (
      wasMissed ||
      ageMs >= (isSeen ? IDENTIFY_MS : IDENTIFY_HTTP_MS) ||
      (channels.modbus?.epoch ?? 0) !== epoch
    );
  }

  /** Compares the serial number with the one that is known, before the values of a poll count. Gives all that was read so far. */
  async verify(before: Polled): Promise<Polled> {
    const { identity, poll } = this.#options;
    const node = identity.get("serial");
    if (this.#serial === undefined || node === undefined) return before;
    const polled = await poll.run(new Map([["serial", node]]), before);
    const serial = textOf(polled.values.get("serial"));
    if (serial === this.#serial) this.stranger = undefined;
    else if (serial !== undefined) await this.#identify(polled);
    return polled;
  }

  async read(before: Polled): Promise<void> {
    const { clock, facts, poll, channels } = this.#options;
    if (!(await this.#identify(before)) || this.stranger !== undefined) return;
    const { values, hasAnswered } = await poll.run(facts, before);
    if (!hasAnswered && !isConstant(facts)) return;
    this.#read = { atMs: clock.now().getTime(), epoch: channels.modbus?.epoch ?? 0 };
    this.facts = Object.fromEntries(
      Object.keys(FACT_UNITS).flatMap((name) => {
        const value = values.get(name)?.value;
        return typeof value === "number" && value > 0 ? [[name, value]] : [];
      }),
    );
  }

  /** False: it did not answer. */
  async #identify(before: Polled): Promise<boolean> {
    const { clock, identity, poll } = this.#options;
    const { values, hasAnswered } = await poll.run(identity, before);
    if (!hasAnswered && !isConstant(identity)) return false;
    const seen: Identity = Object.fromEntries(
      [...identity.keys()].flatMap((name) => {
        const text = name === CLOCK ? undefined : textOf(values.get(name));
        return text === undefined ? [] : [[name, text]];
      }),
    );
    this.#recognise(seen);
    if (this.stranger !== undefined) return true;
    this.clockAheadS = aheadS(values.get(CLOCK)?.value, clock.now());
    this.identity = { ...(this.#serial !== undefined && { serial: this.#serial }), ...seen };
    return true;
  }

  #recognise({ serial, model }: Identity): void {
    if (serial === undefined) return;
    this.#serial ??= serial;
    const found = [model, `serial number ${serial}`].filter(Boolean).join(", ");
    this.stranger =
      serial === this.#serial
        ? undefined
        : new DeviceError(
            "wrong_device",
            `At ${this.#options.address} there is another device (${found} instead of ${this.#serial}); its values are not used. Use "Find devices" to look for the device at its new address. If it has been replaced, remove it and add the new one.`,
          );
  }
}

/** A text that looks like a number stays as it is: "056.8". */
function textOf({ value, raw }: Partial<Evaluated> = {}): string | undefined {
  return value === undefined ? undefined : String(typeof raw === "string" ? raw : value);
}

function isConstant(nodes: ReadonlyMap<string, Node>): boolean {
  return sourcesOf(nodes.values()).every(({ kind }) => kind === "value");
}
