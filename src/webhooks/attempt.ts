import { RefusedAddressError } from "./resolve.js";

/** Why an event did not arrive, for whoever translates it. */
export type DeliveryFault =
  /** The receiver answered with something else than 2xx. */
  | "refused"
  /** It answered with a redirect, and those are not followed. */
  | "redirect"
  | "timeout"
  /** The host is, or resolves to, an address that webhooks do not go to. */
  | "not_public"
  | "unknown_host"
  /** Its certificate does not fit, is not trusted or has expired; or it speaks no TLS. */
  | "certificate"
  | "unreachable"
  /** Never sent: newer events of the webhook had piled up behind it. */
  | "overflow"
  /** The gateway was stopped before the receiver answered. */
  | "stopped";

/** What came of one attempt. */
export interface DeliveryAttempt {
  /** HTTP status of the answer; null without one. */
  status: number | null;
  /** Wall-clock time until the answer began, or the attempt ended without one. */
  durationMs: number;
  /** Null after a 2xx. The message is a sentence that names the host, never path, query or secret. */
  error: { code: DeliveryFault; message: string } | null;
}

/** The error of an answer's status; null for a 2xx. */
export function statusError(status: number, host: string): DeliveryAttempt["error"] {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) {
    return {
      code: "redirect",
      message: `${host} answered with the redirect ${status}, which is not followed; register the URL that it leads to.`,
    };
  }
  return { code: "refused", message: `${host} answered with status ${status}.` };
}

/** The error of an attempt that broke off. */
export function connectionEnded(error: unknown, host: string): NonNullable<DeliveryAttempt["error"]> {
  if (error instanceof RefusedAddressError) return notPublic(host);
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ETIMEDOUT") {
    return { code: "timeout", message: `No connection to ${host} came about in time.` };
  }
  if (code === "ENOTFOUND" || code.startsWith("EAI_")) {
    return { code: "unknown_host", message: `The name ${host} does not resolve to an address.` };
  }
  if (/CERT|SIGNED|ISSUER|SIGNATURE|^ERR_TLS|^ERR_SSL|^EPROTO$/.test(code)) {
    const why = "its certificate does not fit, is not trusted or has expired, or it speaks no TLS";
    return { code: "certificate", message: `There is no secure connection to ${host}: ${why} (${code}).` };
  }
  return {
    code: "unreachable",
    message: `${host} cannot be reached or broke off${code === "" ? "" : ` (${code})`}.`,
  };
}

/** The error of a host where webhooks do not go. */
export function notPublic(host: string): NonNullable<DeliveryAttempt["error"]> {
  return { code: "not_public", message: `${host} is not on the internet: webhooks go to public hosts only.` };
}
