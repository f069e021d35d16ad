import type { Duplex } from "node:stream";

/** What a broker that is not the gateway's may send. */
export interface PacketLimits {
  /** Of one packet: the library collects any before it passes it on. */
  mostBytes: number;
  /** In a second. */
  mostPackets: number;
}

/** A client of the library. */
interface Client {
  stream: Duplex;
  connect(): unknown;
}

const SECOND_MS = 1000;

/** Closes each connection of a client that exceeds the limits. The client must not be connected yet. */
export function limitPackets(client: Client, limits: PacketLimits): void {
  const connect = client.connect.bind(client);
  // The library calls it for each connection, and reads from the stream in a later turn.
  client.connect = () => {
    connect();
    limitStream(client.stream, limits);
    return client;
  };
}

function limitStream(stream: Duplex, { mostBytes, mostPackets }: PacketLimits): void {
  const lengths = new PacketLengths();
  let [packets, sinceMs] = [0, performance.now()];
  stream.on("data", (chunk: Buffer) => {
    const nowMs = performance.now();
    if (nowMs - sinceMs >= SECOND_MS) [packets, sinceMs] = [0, nowMs];
    packets += lengths.push(chunk);
    const fault =
      lengths.largest > mostBytes
        ? `a packet of ${lengths.largest} bytes; ${mostBytes} are allowed`
        : packets > mostPackets
          ? `more than ${mostPackets} packets in a second`
          : undefined;
    // With a code the library reports it.
    if (fault !== undefined)
      stream.destroy(Object.assign(new Error(`The broker sent ${fault}.`), { code: "EMSGSIZE" }));
  });
}

/** Reads the fixed headers of packets (MQTT 3.1.1, 2.2). */
class PacketLengths {
  largest = 0;
  /** Of the packet that has begun. */
  #missing = 0;
  /** The digits of a length that has begun, base 128; undefined: the first byte of a packet comes next. */
  #length: { value: number; factor: number } | undefined;

  /** Number of packets that begin in the bytes. */
  push(bytes: Buffer): number {
    let begun = 0;
    for (let at = 0; at < bytes.length; ) {
      const skipped = Math.min(this.#missing, bytes.length - at);
      this.#missing -= skipped;
      at += skipped;
      if (at === bytes.length) break;
      const byte = bytes[at++]!;
      if (this.#length === undefined) {
        begun++;
        this.#length = { value: 0, factor: 1 };
        continue;
      }
      this.#length.value += (byte & 0x7f) * this.#length.factor;
      this.#length.factor *= 0x80;
      if ((byte & 0x80) !== 0 && this.#length.factor < 0x80 ** 4) continue;
      this.#missing = this.#length.value;
      this.largest = Math.max(this.largest, this.#missing);
      this.#length = undefined;
    }
    return begun;
  }
}
