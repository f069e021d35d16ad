import { once, setMaxListeners } from "node:events";
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { Busboy, type BusboyInstance } from "@fastify/busboy";
import type { Request } from "express";
import { isUnwritable } from "../store/errors.js";
import type { TemporaryFiles } from "../store/temporary-files.js";
import { FormBody, type UploadedFile } from "./form-body.js";

/** Most bytes of all files of one form, and of all forms that are being received. */
export const MOST_UPLOAD_MB = 40;
const MOST_BYTES = MOST_UPLOAD_MB * 1024 * 1024;
const MOST_BYTES_AT_ONCE = 5 * MOST_BYTES;
/** Most fields and files of a form. */
const MOST_PARTS = 20;
const LIMITS = {
  parts: MOST_PARTS,
  fieldSize: 4096,
  headerPairs: 20,
  headerSize: 8192,
};
/** A slower client does not hold the upload of its account for hours. */
const LEAST_BYTES_PER_SECOND = 50 * 1024;
const CHECK_MS = 10_000;

export const UPLOAD_TYPE = "multipart/form-data";

/** `upload`: too large or too many parts. `uploading`: the account uploads already. `slow`: below the least speed. */
export type UploadRefusal = 400 | 403 | 503 | "busy" | "slow" | "upload" | "uploading";

interface UploadOptions {
  files: TemporaryFiles;
  leastBytesPerSecond?: number;
  checkMs?: number;
}

interface Sender {
  /** Account; one upload of it is received at a time. */
  owner: string;
  isOwnForm(token: string): boolean;
}

/**
 * Receives forms with files, which go to disk as they come. Before the first file the form must have its token; the rest of
 * a refused body is read and discarded.
 */
export class UploadReader {
  readonly #options: UploadOptions;
  readonly #receiving = new Set<string>();
  #bytes = 0;

  constructor(options: UploadOptions) {
    this.#options = options;
  }

  /** The fields and files of a form, which the caller removes with `discard`; a reason if it is refused. */
  async read(req: Request, { owner, isOwnForm }: Sender): Promise<FormBody | { refuse: UploadRefusal }> {
    const refusal = this.#refusalOf(req, owner);
    if (refusal !== undefined) {
      req.resume();
      return { refuse: refusal };
    }
    this.#receiving.add(owner);
    const reception = new Reception(req, {
      ...this.#options,
      isOwnForm,
      onBytes: (bytes) => {
        this.#bytes += bytes;
        return this.#bytes <= MOST_BYTES_AT_ONCE;
      },
    });
    try {
      return await reception.form();
    } catch (error) {
      await this.#options.files.remove(reception.paths);
      if (error instanceof Refused) return { refuse: error.refusal };
      // Otherwise the client closed the connection, or the body is no form.
      return { refuse: isUnwritable(error) ? 503 : 400 };
    } finally {
      this.#bytes -= reception.bytes;
      this.#receiving.delete(owner);
    }
  }

  /** Removes the files of a form that nobody has taken. */
  discard({ files }: FormBody): Promise<void> {
    return this.#options.files.remove(files.map(({ path }) => path));
  }

  #refusalOf(req: Request, owner: string): UploadRefusal | undefined {
    if (Number(req.headers["content-length"] ?? 0) > MOST_BYTES) return "upload";
    if (this.#receiving.has(owner)) return "uploading";
    return undefined;
  }
}

class Refused extends Error {
  readonly refusal: UploadRefusal;

  constructor(refusal: UploadRefusal) {
    super(`Refused: ${refusal}`);
    this.refusal = refusal;
  }
}

interface ReceptionOptions extends UploadOptions {
  isOwnForm(token: string): boolean;
  /** Counts received bytes; false if there are too many of all forms together. */
  onBytes(bytes: number): boolean;
}

/** One form with files. */
class Reception {
  readonly paths: string[] = [];
  bytes = 0;
  readonly #req: Request;
  readonly #options: ReceptionOptions;
  readonly #fields = new URLSearchParams();
  readonly #files: UploadedFile[] = [];
  readonly #writes: Promise<void>[] = [];
  readonly #end = new AbortController();

  constructor(req: Request, options: ReceptionOptions) {
    this.#req = req;
    this.#options = options;
  }

  /** Rejects with Refused, or with what the connection, the form or the disk has failed with. */
  async form(): Promise<FormBody> {
    const { leastBytesPerSecond = LEAST_BYTES_PER_SECOND, checkMs = CHECK_MS } = this.#options;
    let before = 0;
    const timer = setInterval(() => {
      if (this.bytes - before < (leastBytesPerSecond * checkMs) / 1000) this.#refuse("slow");
      before = this.bytes;
    }, checkMs);
    const { signal } = this.#end;
    setMaxListeners(2 * MOST_PARTS, signal);
    const refused = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
    try {
      await Promise.race([this.#receive(), refused]);
      return new FormBody(this.#fields, this.#files);
    } finally {
      clearInterval(timer);
      this.#end.abort();
      await Promise.allSettled(this.#writes);
      this.#req.resume();
    }
  }

  async #receive(): Promise<void> {
    // Paths are needed at once when a file begins.
    const paths = await Promise.all(Array.from({ length: MOST_PARTS }, () => this.#options.files.newPath()));
    const parser = this.#parser(paths);
    const finished = once(parser, "finish");
    const feed = async () => {
      for await (const chunk of this.#req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        if (this.#end.signal.aborted) return;
        this.bytes += chunk.length;
        if (!this.#options.onBytes(chunk.length)) return this.#refuse("busy");
        if (this.bytes > MOST_BYTES) return this.#refuse("upload");
        if (!parser.write(chunk)) await once(parser, "drain", { signal: this.#end.signal });
      }
      parser.end();
    };
    await Promise.all([feed(), finished]);
    await Promise.all(this.#writes);
  }

  /** Throws if the type of the body names no boundary. */
  #parser(paths: string[]): BusboyInstance {
    const type = this.#req.headers["content-type"] ?? "";
    const parser = new Busboy({ headers: { ...this.#req.headers, "content-type": type }, limits: LIMITS });
    for (const limit of ["partsLimit", "filesLimit", "fieldsLimit"] as const)
      parser.on(limit, () => this.#refuse("upload"));
    parser.on("field", (name, value, isNameCut, isCut) => {
      if (isNameCut || isCut) this.#refuse("upload");
      else this.#fields.append(name, value);
    });
    parser.on("file", (field, stream, name) => {
      // Reported by the parser, too.
      stream.on("error", () => {});
      if (!this.#options.isOwnForm(this.#fields.get("_csrf") ?? "")) {
        stream.resume();
        return this.#refuse(403);
      }
      // Browsers send a file without a name for a field without a choice.
      if (name === undefined || name === "") return void stream.resume();
      const path = paths.pop()!;
      this.paths.push(path);
      this.#files.push({ field, name, path });
      const write = pipeline(stream, createWriteStream(path, { flags: "wx", mode: 0o600 }), {
        signal: this.#end.signal,
      });
      write.catch((error: unknown) => this.#end.abort(error));
      this.#writes.push(write);
    });
    return parser;
  }

  #refuse(refusal: UploadRefusal): void {
    this.#end.abort(new Refused(refusal));
  }
}
