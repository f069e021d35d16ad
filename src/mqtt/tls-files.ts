import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { errorMessage } from "../error-message.js";
import type { Log } from "../log.js";
import { BrokerError } from "./listen.js";

export interface TlsFiles {
  cert_file: string;
  key_file: string;
}

export interface TlsContext {
  cert: Buffer;
  key: Buffer;
}

const CHECK_MS = 10_000;

/** Certificate and key from files, read again when they change: certificates are renewed while the gateway runs. */
export class TlsFileWatcher {
  readonly #files: TlsFiles;
  readonly #log: Log;
  readonly #checkMs: number;
  #fingerprint = "";
  #timer: NodeJS.Timeout | undefined;

  constructor(files: TlsFiles, { log, checkMs = CHECK_MS }: { log: Log; checkMs?: number }) {
    this.#files = files;
    this.#log = log;
    this.#checkMs = checkMs;
  }

  /** Reads the files and calls `onChange` for each later change. Throws BrokerError. */
  async start(onChange: (context: TlsContext) => void): Promise<TlsContext> {
    const context = await this.#read();
    this.#timer = setInterval(() => {
      const before = this.#fingerprint;
      this.#read().then(
        (changed) => {
          if (this.#fingerprint === before) return;
          onChange(changed);
          this.#log.info({ file: this.#files.cert_file }, "The MQTT certificate was reloaded.");
        },
        (error: unknown) =>
          this.#log.warn(
            { err: error },
            "The MQTT certificate could not be reloaded; the previous one is used.",
          ),
      );
    }, this.#checkMs).unref();
    return context;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #read(): Promise<TlsContext> {
    const { cert_file, key_file } = this.#files;
    try {
      const [cert, key] = await Promise.all([readFile(cert_file), readFile(key_file)]);
      createSecureContext({ cert, key });
      this.#fingerprint = createHash("sha256").update(cert).update(key).digest("hex");
      return { cert, key };
    } catch (error) {
      throw new BrokerError(
        `The certificate of the MQTT broker can't be used (${errorMessage(error)}); check mqtt.broker.tls.cert_file and key_file.`,
      );
    }
  }
}
