import { appendFile, chmod, readFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";

/** Number of rotated files that are kept. */
const KEPT_FILES = 4;

/** A file of lines (`<name>.jsonl`, mode 0600) that is rotated at a size; four rotated files are kept. */
export class RotatedLines {
  readonly #folder: string;
  readonly #name: string;
  readonly #rotateBytes: number;
  #bytes: number | undefined;

  constructor({ folder, name, rotateBytes }: { folder: string; name: string; rotateBytes: number }) {
    this.#folder = folder;
    this.#name = name;
    this.#rotateBytes = rotateBytes;
  }

  /** Calls must not overlap. Throws the error of the file system. */
  async append(text: string): Promise<void> {
    const path = this.#path(0);
    this.#bytes ??= await stat(path).then(
      ({ size }) => size,
      () => 0,
    );
    if (this.#bytes >= this.#rotateBytes) await this.#rotate();
    await appendFile(path, text, { mode: 0o600 });
    if (this.#bytes === 0) await chmod(path, 0o600);
    this.#bytes += Buffer.byteLength(text);
  }

  /** All lines, the newest first. */
  async *newestFirst(): AsyncGenerator<string> {
    for (let index = 0; index <= KEPT_FILES; index++) {
      const text = await readFile(this.#path(index), "utf8").catch(() => "");
      yield* text.split("\n").reverse();
    }
  }

  async #rotate(): Promise<void> {
    for (let index = KEPT_FILES; index >= 1; index--)
      await rename(this.#path(index - 1), this.#path(index)).catch(() => {});
    this.#bytes = 0;
  }

  #path(index: number): string {
    return join(this.#folder, index === 0 ? `${this.#name}.jsonl` : `${this.#name}.${index}.jsonl`);
  }
}
