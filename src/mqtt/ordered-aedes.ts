import { Aedes, type AedesOptions, type PublishPacket } from "aedes";

type Publish = (packet: PublishPacket, ...rest: unknown[]) => void;

/**
 * Aedes drops a message for a subscriber when one with a higher counter has overtaken it, and a retained message,
 * which is stored first, is easily overtaken. Here a publish begins only when the one before has been handed to the
 * subscribers, so that counters and deliveries keep one order.
 */
export class OrderedAedes extends Aedes {
  readonly #waiting: (() => void)[] = [];
  #release: (() => void) | undefined;
  #draining = false;
  #unfinished = 0;
  #settled: (() => void)[] = [];

  constructor(options: AedesOptions) {
    super(options);
    const emitter = (this as unknown as { mq: { emit(packet: object, done: () => void): void } }).mq;
    const emit = emitter.emit.bind(emitter);
    emitter.emit = (packet, done) => {
      // Where nobody subscribes the publish is over within `emit`, and the next one has begun when it returns.
      const release = this.#release;
      emit(packet, done);
      release?.();
    };
  }

  override publish(packet: PublishPacket, ...rest: unknown[]): void {
    const done = rest.at(-1);
    const client = typeof rest[0] === "function" ? null : rest[0];
    this.#unfinished++;
    this.#waiting.push(() => {
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

  /** Resolves when every message taken so far is stored and written to its subscribers. */
  async settled(): Promise<void> {
    if (this.#unfinished > 0) await new Promise<void>((resolve) => this.#settled.push(resolve));
    // The last bytes leave for the sockets on the next tick.
    await new Promise((resolve) => setImmediate(resolve));
  }

  #drain(): void {
    // A publish that ends at once releases from within; the loop takes the next one then, not a deeper call.
    if (this.#draining) return;
    this.#draining = true;
    while (this.#release === undefined && this.#waiting.length > 0) this.#waiting.shift()!();
    this.#draining = false;
  }
}
