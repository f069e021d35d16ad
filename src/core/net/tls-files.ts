import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { errorMessage } from "../error-message.js";
import type { Log } from "../log.js";

export interface TlsFiles {
  cert_file: string;
  key_file: string;
}

export interface TlsContext {
  cert: Buffer;
  key: Buffer;
}

const CHECK_MS = 10_000;

/** Reads a certificate and its key. Throws an Error if they cannot be read or do not fit to each other. */
export async function readTlsFiles({ cert_file, key_file }: TlsFiles): Promise<TlsContext> {
  const [cert, key] = await Promise.all([readFile(cert_file), readFile(key_file)]);
  createSecureContext({ cert, key });
  return { cert, key };
}

/** Certificate and key from files, read again when they change: certificates are renewed while the gateway runs. */
export class TlsFileWatcher {
  readonly #files: TlsFiles;
  readonly #section: string;
  readonly #log: Log;
  readonly #checkMs: number;
  #fingerprint = "";
  #timer: NodeJS.Timeout | undefined;

  /** `section`: the configuration section of the files, for messages. */
  constructor(
    files: TlsFiles,
    { section, log, checkMs = CHECK_MS }: { section: string; log: Log; checkMs?: number },
  ) {
    this.#files = files;
    this.#section = section;
    this.#log = log;
    this.#checkMs = checkMs;
  }

  /** Reads the files and calls `onChange` for each later change. Throws an Error that says what to do. */
  async start(onChange: (context: TlsContext) => void): Promise<TlsContext> {
    const context = await this.#read();
    this.#timer = setInterval(() => {
      const before = this.#fingerprint;
      this.#read().then(
        (changed) => {
          if (this.#fingerprint === before) return;
          onChange(changed);
          this.#log.info(
            { file: this.#files.cert_file },
            `The certificate of ${this.#section} was reloaded.`,
          );
        },
        (error: unknown) =>
          this.#log.warn(
            { err: error },
            `The certificate of ${this.#section} could not be reloaded; the previous one is used.`,
          ),
      );
    }, this.#checkMs).unref();
    return context;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #read(): Promise<TlsContext> {
    try {
      const { cert, key } = await readTlsFiles(this.#files);
      this.#fingerprint = createHash("sha256").update(cert).update(key).digest("hex");
      return { cert, key };
    } catch (error) {
      throw new Error(
        `The certificate of ${this.#section} can't be used (${errorMessage(error)}); check ${this.#section}.cert_file and key_file.`,
        { cause: error },
      );
    }
  }
}
