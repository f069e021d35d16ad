import type { Settings } from "../../config/settings.js";
import type { Language } from "../../core/language.js";
import { FetchError, fetchText, parseJson } from "../../core/net/fetch.js";
import { isRecord } from "../../core/net/json.js";
import { VERSION } from "../../core/version.js";
import { textsOf } from "../../texts/index.js";
import { about, type DoctorTexts, errorSentence, type Finding } from "./finding.js";

const ANSWER_LIMIT_MS = 3_000;

/** What answers on the configured HTTP port. */
export interface RunningGateway {
  /** `other`: another program, or a gateway that does not answer correctly. */
  state: "running" | "none" | "other";
  findings: Finding[];
}

/** Requests the status of the gateway on the configured HTTP port, with the owner's key if it is configured. */
export async function examineRunningGateway(
  { http, owner, fleet }: Settings,
  language: Language,
): Promise<RunningGateway> {
  const texts = textsOf(language).doctor;
  const gateway = about(texts.what.gateway);
  if (http.port === 0) return { state: "none", findings: [gateway.ok(texts.gateway.anyPort)] };
  const base = `http://${localHost(http.host)}:${http.port}`;
  // The other requests of a worker come through its router.
  const path = fleet.shards === null ? `/v1/status?locale=${language}` : "/health";
  try {
    const { body } = await fetchText(new URL(base + path), {
      signal: new AbortController().signal,
      timeoutMs: ANSWER_LIMIT_MS,
      headers: owner.key === null ? {} : { "X-API-Key": owner.key },
    });
    const status = parseJson(body, base);
    if (fleet.shards !== null && isRecord(status) && typeof status.status === "string")
      return { state: "running", findings: [gateway.ok(texts.gateway.fleet(base))] };
    if (!isRecord(status) || !Array.isArray(status.components) || typeof status.version !== "string")
      throw new Error("The answer is not from hourgate.");
    const components = status.components.filter(isRecord).map((component) => ofComponent(component, texts));
    return { state: "running", findings: [ofStatus(status, base, texts), ...components] };
  } catch (error) {
    return isNobodyThere(error)
      ? { state: "none", findings: [gateway.warn(texts.gateway.none)] }
      : { state: "other", findings: [gateway.bad(texts.gateway.other(base, errorSentence(error)))] };
  }
}

function isNobodyThere(error: unknown): boolean {
  const fault = error instanceof FetchError ? error.fault : undefined;
  return fault?.kind === "unreachable" && /^(ECONNREFUSED|EADDRNOTAVAIL)$/.test(fault.reason);
}

function ofStatus(status: Record<string, unknown>, base: string, texts: DoctorTexts): Finding {
  const gateway = about(texts.what.gateway);
  const version = String(status.version);
  if (version !== VERSION) return gateway.warn(texts.gateway.version(base, version, VERSION));
  return status.ready === true
    ? gateway.ok(texts.gateway.ready(version, base))
    : gateway.warn(texts.gateway.notReady(version, base));
}

function ofComponent({ name, state, since, detail }: Record<string, unknown>, texts: DoctorTexts): Finding {
  const found = about(texts.what.component(String(name)));
  if (state === "ok")
    return found.ok(typeof detail === "string" ? detail : texts.gateway.componentSince(String(since)));
  const sentence =
    typeof detail === "string" ? detail : texts.gateway.componentState(String(state), String(since));
  return state === "degraded" ? found.warn(sentence) : found.bad(sentence);
}

/** The address under which this machine reaches a server that listens on `host`. */
function localHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}
