import express, { type Request, type Response } from "express";
import { oneLine } from "../core/one-line.js";

/** A file of a submitted form. */
export interface UploadedFile {
  field: string;
  /** Name that the client gives it: any text. */
  name: string;
  /** Where it is until the request has been answered. */
  path: string;
}

/** The fields and files of a submitted form. */
export class FormBody {
  readonly files: readonly UploadedFile[];
  readonly #fields: URLSearchParams;

  /** `fields`: the body as application/x-www-form-urlencoded, or its fields; empty for a GET page. */
  constructor(fields: string | URLSearchParams = "", files: readonly UploadedFile[] = []) {
    this.#fields = new URLSearchParams(fields);
    this.files = files;
  }

  /** Whether the form contains the field, even if empty. */
  has(name: string): boolean {
    return this.#fields.has(name);
  }

  /** The trimmed value of the field as one line; the last of several with the same name; empty if there is none. */
  text(name: string): string {
    return oneLine(this.raw(name)).trim();
  }

  /** All non-empty values of the fields with the name, each as one line. */
  texts(name: string): string[] {
    return this.#fields
      .getAll(name)
      .map(oneLine)
      .filter((text) => text !== "");
  }

  /** The value as it was sent, for passwords. */
  raw(name: string): string {
    return this.#fields.getAll(name).at(-1) ?? "";
  }

  /** Whether a checkbox is ticked; a hidden field with the same name is `false` otherwise. */
  isTicked(name: string): boolean {
    return ["true", "on", "1", "yes"].includes(this.text(name).toLowerCase());
  }

  /** Names and values of all fields as they were sent. */
  entries(): [string, string][] {
    return [...this.#fields];
  }

  /** Distinct names of the fields in the order of the form. */
  names(): string[] {
    return [...new Set(this.#fields.keys())];
  }
}

/** The longest form, that of the EMS settings, has a few kB. */
const MAX_FORM_BYTES = 100 * 1024;
/** The EMS settings have some hundred fields. */
const MAX_FIELDS = 2_000;
const FORM_TYPE = "application/x-www-form-urlencoded";

const readText = express.text({ type: FORM_TYPE, limit: MAX_FORM_BYTES, inflate: false });

/** Reads the submitted form; a status if it is refused. An empty body is an empty form. */
export async function readForm(req: Request, res: Response): Promise<FormBody | { refuse: 400 | 413 | 415 }> {
  const type = req.headers["content-type"];
  const hasBody = req.headers["transfer-encoding"] !== undefined || Number(req.headers["content-length"]) > 0;
  if (hasBody && type?.split(";")[0]?.trim().toLowerCase() !== FORM_TYPE) {
    // The body is read and discarded; otherwise the browser would report a broken connection instead of the page.
    req.resume();
    return { refuse: 415 };
  }
  const fault = await new Promise<unknown>((resolve) => readText(req, res, resolve));
  const text = typeof req.body === "string" ? req.body : "";
  if (fault === undefined)
    return text.split("&", MAX_FIELDS + 1).length > MAX_FIELDS ? { refuse: 413 } : new FormBody(text);
  req.resume();
  const status = (fault as { status?: unknown }).status;
  return { refuse: status === 413 || status === 415 ? status : 400 };
}
