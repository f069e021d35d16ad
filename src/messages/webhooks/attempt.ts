import { RefusedAddressError } from "../../core/net/resolve.js";

/** Why an event did not arrive; the texts of the portal are keyed by it. */
export type DeliveryFault =
  /** The receiver answered with a status other than 2xx. */
  | "refused"
  /** The receiver answered with a redirect, which is not followed. */
  | "redirect"
  | "timeout"
  /** The host is, or resolves to, an address that is not public. */
  | "not_public"
  | "unknown_host"
  /** The certificate does not match, is not trusted or has expired; or the host does not use TLS. */
  | "certificate"
  | "unreachable"
  /** Not sent: the queue of the webhook was full. */
  | "overflow"
  /** The gateway was stopped before the receiver answered. */
  | "stopped";

/** Outcome of one attempt. */
export interface DeliveryAttempt {
  /** HTTP status of the answer; null without one. */
  status: number | null;
  /** Wall-clock time until the response started or the attempt failed. */
  durationMs: number;
  /** Null after a 2xx. The message names the host, but never path, query or secret. */
  error: { code: DeliveryFault; message: string } | null;
}

/** Statuses with the address of another resource (RFC 9110, 15.4). */
const REDIRECTS = [301, 302, 303, 307, 308];

/** The error of a response status; null for a 2xx. */
export function statusError(status: number, host: string): DeliveryAttempt["error"] {
  if (status >= 200 && status < 300) return null;
  if (REDIRECTS.includes(status)) {
    return {
      code: "redirect",
      message: `${host} answered with the redirect ${status}, which is not followed; register the URL that it leads to.`,
    };
  }
  return { code: "refused", message: `${host} answered with status ${status}.` };
}

/** The error of an attempt without a response. */
export function connectionEnded(error: unknown, host: string): NonNullable<DeliveryAttempt["error"]> {
  if (error instanceof RefusedAddressError) return notPublic(host);
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ETIMEDOUT") {
    return { code: "timeout", message: `The connection to ${host} timed out.` };
  }
  if (code === "ENOTFOUND" || code.startsWith("EAI_")) {
    return { code: "unknown_host", message: `The name ${host} does not resolve to an address.` };
  }
  if (/CERT|SIGNED|ISSUER|SIGNATURE|^ERR_TLS|^ERR_SSL|^EPROTO$/.test(code)) {
    const why = "its certificate does not match, is not trusted or has expired, or it does not use TLS";
    return { code: "certificate", message: `There is no secure connection to ${host}: ${why} (${code}).` };
  }
  return {
    code: "unreachable",
    message: `${host} cannot be reached or closed the connection${code === "" ? "" : ` (${code})`}.`,
  };
}

/** The error of a host that is not public. */
export function notPublic(host: string): NonNullable<DeliveryAttempt["error"]> {
  return { code: "not_public", message: `${host} is not on the internet: webhooks go to public hosts only.` };
}
