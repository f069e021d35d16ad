import express, { type Request, type Response } from "express";
import { FormBody } from "./form-body.js";

/** 100 kB; the longest form, that of the EMS settings, has a few. */
const MAX_FORM_BYTES = 100 * 1024;
const FORM_TYPE = "application/x-www-form-urlencoded";

const readText = express.text({ type: FORM_TYPE, limit: MAX_FORM_BYTES, inflate: false });

/** The submitted form, or the status of its refusal. An empty body is an empty form. */
export async function readForm(req: Request, res: Response): Promise<FormBody | { refuse: 400 | 413 | 415 }> {
  const type = req.headers["content-type"];
  const hasBody = req.headers["transfer-encoding"] !== undefined || Number(req.headers["content-length"]) > 0;
  if (hasBody && type?.split(";")[0]?.trim().toLowerCase() !== FORM_TYPE) {
    // Read to its end and thrown away, else the browser would see a broken connection in place of the page.
    req.resume();
    return { refuse: 415 };
  }
  const fault = await new Promise<unknown>((resolve) => readText(req, res, resolve));
  if (fault === undefined) return new FormBody(typeof req.body === "string" ? req.body : "");
  req.resume();
  const status = (fault as { status?: unknown }).status;
  return { refuse: status === 413 || status === 415 ? status : 400 };
}
