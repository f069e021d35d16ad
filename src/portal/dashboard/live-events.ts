import type { IncomingMessage, ServerResponse } from "node:http";
import { type Bus, subscribe } from "../../core/bus.js";

/** Maximum open streams of one account; further tabs are updated every minute. */
const STREAMS_PER_ACCOUNT = 8;
/** Interval of a comment that keeps proxies from closing the stream; the session is checked then too. */
const KEEP_ALIVE_MS = 15_000;
/** Changes within this time are sent as one event. */
const GATHER_MS = 250;
/** The same for readings, which some devices send every second. */
const GATHER_READINGS_MS = 5000;
/** Delay before a browser reconnects. */
const RETRY_MS = 5000;

interface Stream {
  siteId: string;
  accountId: string;
  response: ServerResponse;
  isSignedIn: () => boolean;
  followsConnections?: boolean | undefined;
  waiting?: NodeJS.Timeout | undefined;
  /** Readings that wait for their event. */
  reading?: NodeJS.Timeout | undefined;
}

export interface LiveReader {
  siteId: string;
  accountId: string;
  /** Whether the session of the reader is still valid. */
  isSignedIn: () => boolean;
  /** Also tell about each use of a key, link or client; others would fetch their data for nothing. */
  followsConnections?: boolean;
}

/**
 * Notifies open pages of changes of their site with server-sent events; they fetch the data then. Timers run on wall
 * time.
 */
export class LiveEvents {
  readonly #bus: Bus;
  readonly #streams = new Set<Stream>();
  readonly #stops: (() => void)[] = [];
  #keepAlive: NodeJS.Timeout | undefined;

  constructor({ bus }: { bus: Bus }) {
    this.#bus = bus;
  }

  start(): void {
    const all = () => this.#tell(undefined);
    const one = ({ siteId }: { siteId: string }) => this.#tell(siteId);
    this.#stops.push(
      subscribe(this.#bus, {
        "forecast.updated": all,
        "plan.updated": one,
        "pv.updated": one,
        "telemetry.received": ({ siteId }) => this.#onReading(siteId),
        "connection.used": ({ siteId }) => this.#tell(siteId, (stream) => stream.followsConnections === true),
        "slots.updated": one,
        "actuator.changed": one,
        "site.changed": ({ id }) => this.#tell(id),
        "site.removed": ({ siteId }) => this.#closeWhere((stream) => stream.siteId === siteId),
      }),
    );
    this.#keepAlive = setInterval(() => this.#onKeepAlive(), KEEP_ALIVE_MS);
    this.#keepAlive.unref();
  }

  /** Ends all streams, so that the server can close. */
  stop(): Promise<void> {
    clearInterval(this.#keepAlive);
    for (const stop of this.#stops.splice(0)) stop();
    this.#closeWhere(() => true);
    return Promise.resolve();
  }

  /** Number of open streams. */
  get count(): number {
    return this.#streams.size;
  }

  /** Opens a stream on a response; above the limit of an account its oldest stream ends. */
  open(request: IncomingMessage, response: ServerResponse, reader: LiveReader): void {
    const others = [...this.#streams].filter(({ accountId }) => accountId === reader.accountId);
    for (const stream of others.slice(0, Math.max(0, others.length - STREAMS_PER_ACCOUNT + 1)))
      this.#close(stream);
    response.writeHead(200, {
      "Content-Type": "text/event-stream; charset=utf-8",
      "Cache-Control": "no-store",
      // nginx would buffer the events.
      "X-Accel-Buffering": "no",
    });
    // HEAD has no body.
    if (request.method === "HEAD") {
      response.end();
      return;
    }
    response.write(`retry: ${RETRY_MS}\n\n`);
    const stream: Stream = { ...reader, response };
    this.#streams.add(stream);
    const forget = () => {
      clearTimeout(stream.waiting);
      clearTimeout(stream.reading);
      this.#streams.delete(stream);
    };
    request.on("close", forget);
    response.on("close", forget);
    response.on("error", forget);
  }

  #tell(siteId: string | undefined, which: (stream: Stream) => boolean = () => true): void {
    for (const stream of this.#streams) {
      if ((siteId !== undefined && stream.siteId !== siteId) || !which(stream)) continue;
      stream.waiting ??= setTimeout(() => {
        stream.waiting = undefined;
        if (stream.isSignedIn()) this.#write(stream, "event: changed\ndata: {}\n\n");
        else this.#close(stream);
      }, GATHER_MS);
    }
  }

  #onReading(siteId: string): void {
    for (const stream of this.#streams)
      if (stream.siteId === siteId)
        stream.reading ??= setTimeout(() => {
          stream.reading = undefined;
          this.#tell(siteId);
        }, GATHER_READINGS_MS).unref();
  }

  #onKeepAlive(): void {
    for (const stream of [...this.#streams]) {
      if (stream.isSignedIn()) this.#write(stream, ": still here\n\n");
      else this.#close(stream);
    }
  }

  /** Closes streams whose reader does not read, which would fill the memory. */
  #write(stream: Stream, text: string): void {
    if (stream.response.writableNeedDrain) this.#close(stream);
    else stream.response.write(text);
  }

  #closeWhere(which: (stream: Stream) => boolean): void {
    for (const stream of [...this.#streams]) if (which(stream)) this.#close(stream);
  }

  #close(stream: Stream): void {
    clearTimeout(stream.waiting);
    clearTimeout(stream.reading);
    this.#streams.delete(stream);
    // On this event the page does not reconnect after a sign-out.
    stream.response.end(stream.isSignedIn() ? "" : "event: over\ndata: {}\n\n");
    stream.response.socket?.destroySoon();
  }
}
