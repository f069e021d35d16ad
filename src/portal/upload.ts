import type { Request } from "express";
import { FormBody, type UploadedFile } from "./form-body.js";

/** Most bytes of all files of one form. */
export const MOST_UPLOAD_MB = 40;
/** Forms with files that are received at the same time: each is held in memory. */
const MOST_AT_ONCE = 3;
/** Most fields and files of a form. */
const MOST_PARTS = 100;

export const UPLOAD_TYPE = "multipart/form-data";

/** Reads forms with files. */
export class UploadReader {
  #receiving = 0;

  /** The fields and files of a form; a reason if it is refused. The rest of a refused body is read and discarded. */
  async read(req: Request): Promise<FormBody | { refuse: 400 | 413 | 429 }> {
    if (this.#receiving >= MOST_AT_ONCE) {
      req.resume();
      return { refuse: 429 };
    }
    this.#receiving++;
    try {
      const body = await bodyOf(req);
      if (body === undefined) return { refuse: 413 };
      const type = req.headers["content-type"] ?? "";
      const form = await new Response(new Uint8Array(body), { headers: { "Content-Type": type } })
        .formData()
        .catch(() => undefined);
      return form === undefined ? { refuse: 400 } : await formBodyOf(form);
    } catch {
      // The client closed the connection.
      return { refuse: 400 };
    } finally {
      this.#receiving--;
    }
  }
}

/** The body; undefined when it is too large. */
async function bodyOf(req: Request): Promise<Buffer | undefined> {
  const mostBytes = MOST_UPLOAD_MB * 1024 * 1024;
  if (Number(req.headers["content-length"] ?? 0) > mostBytes) {
    req.resume();
    return undefined;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= mostBytes) chunks.push(chunk);
    else chunks.length = 0;
  }
  return bytes > mostBytes ? undefined : Buffer.concat(chunks);
}

async function formBodyOf(form: FormData): Promise<FormBody | { refuse: 400 }> {
  const fields = new URLSearchParams();
  const files: UploadedFile[] = [];
  let parts = 0;
  for (const [name, value] of form) {
    if (++parts > MOST_PARTS) return { refuse: 400 };
    if (typeof value === "string") fields.append(name, value);
    // Browsers send a file without a name and content for a field without a choice.
    else if (value.name !== "" || value.size > 0)
      files.push({ field: name, name: value.name, bytes: new Uint8Array(await value.arrayBuffer()) });
  }
  return new FormBody(fields, files);
}
