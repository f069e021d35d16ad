import { Aedes, type AedesOptions, type Client, type PublishPacket } from "aedes";
import { FairQueue } from "../../../core/work/fair-queue.js";
import { signInOf } from "./budget.js";

/** Turn of the gateway itself; names of plants have no `$`. */
const GATEWAY = "$gateway";

type Publish = (packet: PublishPacket, ...rest: unknown[]) => void;

/**
 * Processes one publish at a time, the sign-ins in turn. Aedes drops a message for a subscriber if one with a higher
 * counter has overtaken it, and a retained message, which is stored first, is easily overtaken: a publish starts only
 * when the previous one has been passed to the subscribers. Taking turns keeps a flood from delaying other sign-ins.
 */
export class OrderedAedes extends Aedes {
  readonly #waiting = new FairQueue<() => void>();
  #release: (() => void) | undefined;
  #draining = false;
  #unfinished = 0;
  #settled: (() => void)[] = [];

  constructor(options: AedesOptions) {
    super(options);
    const emitter = (this as unknown as { mq: { emit(packet: object, done: () => void): void } }).mq;
    const emit = emitter.emit.bind(emitter);
    emitter.emit = (packet, done) => {
      // Without a subscriber the publish ends within `emit`, and the next one has started when it returns.
      const release = this.#release;
      emit(packet, done);
      release?.();
    };
  }

  override publish(packet: PublishPacket, ...rest: unknown[]): void {
    const done = rest.at(-1);
    const client = typeof rest[0] === "function" ? null : (rest[0] as Client | null);
    this.#enqueue(signInOf(client?.id ?? ""), { packet, client, done });
  }

  /** Publishes a message of the gateway with QoS 1, in a turn of its own; resolves when it is stored and delivered. */
  publishOwn(topic: string, text: string, retain: boolean): Promise<void> {
    const packet = { cmd: "publish", topic, payload: Buffer.from(text), qos: 1, retain, dup: false } as const;
    return new Promise((resolve, reject) => {
      const done = (error?: Error | null) => (error ? reject(error) : resolve());
      this.#enqueue(GATEWAY, { packet, client: null, done });
    });
  }

  #enqueue(
    key: string,
    { packet, client, done }: { packet: PublishPacket; client: Client | null; done: unknown },
  ): void {
    this.#unfinished++;
    this.#waiting.push(key, () => {
      const release = () => {
        if (this.#release !== release) return;
        this.#release = undefined;
        this.#drain();
      };
      this.#release = release;
      (super.publish as Publish).call(this, packet, client, (error: unknown) => {
        release();
        this.#unfinished--;
        if (this.#unfinished === 0) for (const resolve of this.#settled.splice(0)) resolve();
        if (typeof done === "function") done(error);
      });
    });
    this.#drain();
  }

  /** Resolves when all messages so far are stored and written to their subscribers. */
  async settled(): Promise<void> {
    if (this.#unfinished > 0) await new Promise<void>((resolve) => this.#settled.push(resolve));
    // The last bytes are written to the sockets on the next tick.
    await new Promise((resolve) => setImmediate(resolve));
  }

  #drain(): void {
    // A publish that ends synchronously releases from within; the loop avoids recursion.
    if (this.#draining) return;
    this.#draining = true;
    while (this.#release === undefined && this.#waiting.size > 0) this.#waiting.shift()!();
    this.#draining = false;
  }
}
