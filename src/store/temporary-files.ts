import { randomBytes } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** A folder of files that are of no use after the end of the gateway. */
export class TemporaryFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Removes what a killed gateway has left. */
  async start(): Promise<void> {
    await this.#empty();
  }

  async stop(): Promise<void> {
    await this.#empty();
  }

  /** The path of a new file, which the caller creates and removes. */
  async newPath(): Promise<string> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    return join(this.#folder, randomBytes(12).toString("hex"));
  }

  /** Never rejects. */
  async remove(paths: readonly string[]): Promise<void> {
    await Promise.all(paths.map((path) => rm(path, { force: true }).catch(() => {})));
  }

  async #empty(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true }).catch(() => {});
  }
}
