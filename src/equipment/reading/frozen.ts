import { DEVICE_READINGS } from "./names.js";

interface Unchanged {
  value: number;
  since: Date;
  polls: number;
  /** Changes of other powers meanwhile. */
  moves: number;
}

/** A meter that still sends, but no longer measures, repeats its last digits. */
const POLLS = 30;
const AT_LEAST_MS = 300_000;
/** So many changes of other powers do not leave the exchange with the grid as it was. */
const MOVES = 10;

/**
 * The powers of a site's devices, to notice one that repeats its digits. Only the exchange with the grid must move when the others
 * do: an inverter or a battery may stay at its limit.
 */
export class FrozenPowers {
  readonly #powers = new Map<string, Unchanged>();

  /** Since when the power is not believed; undefined: it is. */
  take({
    device,
    name,
    value,
    at,
  }: {
    device: string;
    name: string;
    value: number;
    at: Date;
  }): Date | undefined {
    const reading = DEVICE_READINGS[name];
    if (reading?.unit !== "kW") return undefined;
    const key = `${device} ${name}`;
    const last = this.#powers.get(key);
    if (last === undefined || last.value !== value || at < last.since) {
      this.#powers.set(key, { value, since: at, polls: 1, moves: 0 });
      if (last !== undefined && reading.role !== "grid") this.#moved();
      return undefined;
    }
    last.polls++;
    const isFrozen =
      name === "grid_power_kw" &&
      value !== 0 &&
      last.polls > POLLS &&
      last.moves >= MOVES &&
      at.getTime() - last.since.getTime() >= AT_LEAST_MS;
    return isFrozen ? last.since : undefined;
  }

  #moved(): void {
    for (const one of this.#powers.values()) one.moves++;
  }
}
