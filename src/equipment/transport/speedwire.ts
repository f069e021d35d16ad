import { createSocket, type Socket } from "node:dgram";
import os from "node:os";

/** Group and port of SMA's Speedwire. */
export const SPEEDWIRE = { group: "239.12.255.254", port: 9522 } as const;

/** What a meter sent last. */
export interface MeterTelegram {
  serial: string;
  atMs: number;
  /** Powers in W, counters in Wh, by OBIS code such as 1.4.0. */
  values: ReadonlyMap<string, number>;
}

/** Routers forget members of a group that do not join again. */
const REJOIN_MS = 120_000;

const METER_PROTOCOL = 0x6069;

/** Meters send 600 bytes. */
const LARGEST_TELEGRAM = 1_500;
/** Meters that nobody asked for are kept up to this number: anybody in the network can invent serial numbers. */
const MOST_METERS = 32;

/** The values of a telegram of an SMA Energy Meter or Sunny Home Manager; undefined for any other datagram. */
export function parseTelegram(message: Buffer, atMs: number): MeterTelegram | undefined {
  if (message.length < 28 || message.toString("latin1", 0, 4) !== "SMA\0") return undefined;
  if (message.readUInt16BE(16) !== METER_PROTOCOL) return undefined;
  const end = Math.min(message.length, 16 + message.readUInt16BE(12));
  const values = new Map<string, number>();
  for (let at = 28; at + 4 <= end; ) {
    const [channel = 0, index = 0, type = 0, tariff = 0] = message.subarray(at, at + 4);
    const code = `${index}.${type}.${tariff}`;
    if (type === 4 && channel === 0 && at + 8 <= message.length)
      values.set(code, message.readUInt32BE(at + 4) / 10);
    if (type === 8 && channel === 0 && at + 12 <= message.length)
      values.set(code, Number(message.readBigUInt64BE(at + 4)) / 3_600);
    at += type === 8 ? 12 : 8;
  }
  return values.size === 0 ? undefined : { serial: String(message.readUInt32BE(20)), atMs, values };
}

/** Listens to the meters of the network, which send once a second without being asked. */
export class SpeedwireListener {
  readonly #now: () => number;
  readonly #group: string;
  readonly #port: number;
  readonly #telegrams = new Map<string, MeterTelegram>();
  /** Serial numbers that were asked for. */
  readonly #wanted = new Set<string>();
  #socket: Socket | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Why nothing can be received; undefined: it listens. */
  fault: string | undefined;
  bytes = 0;

  constructor({ now, group, port }: { now: () => number; group: string; port: number }) {
    this.#now = now;
    this.#group = group;
    this.#port = port;
  }

  start(): void {
    const socket = createSocket({ type: "udp4", reuseAddr: true });
    this.#socket = socket;
    socket.on("error", (error) => {
      this.fault = error.message;
    });
    socket.on("message", (message) => {
      if (message.length > LARGEST_TELEGRAM) return;
      const telegram = parseTelegram(message, this.#now());
      if (telegram === undefined || !this.#isKept(telegram.serial)) return;
      this.bytes += message.length;
      this.#telegrams.set(telegram.serial, telegram);
    });
    socket.bind(this.#port, () => this.#join());
    this.#timer = setInterval(() => this.#join(), REJOIN_MS);
    this.#timer.unref();
    socket.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#socket?.close();
    this.#socket = undefined;
  }

  /** The last telegram of a meter, or of the first one that was seen if no serial number is given. */
  telegram(serial: string): MeterTelegram | undefined {
    if (serial === "") return this.#telegrams.values().next().value;
    this.#wanted.add(serial);
    return this.#telegrams.get(serial);
  }

  /** The serial numbers of the meters that were heard. */
  serials(): string[] {
    return [...this.#telegrams.keys()];
  }

  #isKept(serial: string): boolean {
    return this.#telegrams.size < MOST_METERS || this.#telegrams.has(serial) || this.#wanted.has(serial);
  }

  #join(): void {
    const addresses = Object.values(os.networkInterfaces()).flatMap((all) =>
      (all ?? []).filter(({ family }) => family === "IPv4").map(({ address }) => address),
    );
    let joined = 0;
    for (const address of addresses)
      for (const action of ["dropMembership", "addMembership"] as const)
        try {
          this.#socket?.[action](this.#group, address);
          if (action === "addMembership") joined++;
        } catch {
          // Not a member yet, or an interface without multicast.
        }
    this.fault = joined === 0 ? "no network interface can receive multicast" : undefined;
  }
}
