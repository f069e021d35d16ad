import type { Settings } from "../config/settings.js";
import { fetchText, parseJson } from "../net/fetch.js";
import { isRecord } from "../net/json.js";
import { VERSION } from "../version.js";
import { about, errorSentence, type Finding } from "./finding.js";

const ANSWER_LIMIT_MS = 3_000;

/** What answers on the configured HTTP port. */
export interface RunningGateway {
  /** `other`: something that is no hourgate, or one that does not answer as it should. */
  state: "running" | "none" | "other";
  findings: Finding[];
}

/** Asks the gateway on the configured HTTP port how its parts are; with the owner's key where that is configured. */
export async function examineRunningGateway({ http, owner }: Settings): Promise<RunningGateway> {
  const gateway = about("gateway");
  if (http.port === 0)
    return {
      state: "none",
      findings: [gateway.ok("http.port is 0, so a running one cannot be found from here.")],
    };
  const base = `http://${localHost(http.host)}:${http.port}`;
  try {
    const { body } = await fetchText(new URL(`${base}/v1/status`), {
      signal: new AbortController().signal,
      timeoutMs: ANSWER_LIMIT_MS,
      headers: owner.key === null ? {} : { "X-API-Key": owner.key },
    });
    const status = parseJson(body, base);
    if (!isRecord(status) || !Array.isArray(status.components) || typeof status.version !== "string")
      throw new Error("The answer is not hourgate's.");
    return {
      state: "running",
      findings: [ofStatus(status, base), ...status.components.filter(isRecord).map(ofComponent)],
    };
  } catch (error) {
    if (/ECONNREFUSED|EADDRNOTAVAIL/.test(errorSentence(error)))
      return {
        state: "none",
        findings: [gateway.warn("None runs on the configured port; start it with: hourgate serve.")],
      };
    const sentence = `${base} does not answer as a gateway does: ${errorSentence(error)} Look at its log, or find out which other program has the port.`;
    return { state: "other", findings: [gateway.bad(sentence)] };
  }
}

function ofStatus(status: Record<string, unknown>, base: string): Finding {
  const gateway = about("gateway");
  const version = String(status.version);
  if (version !== VERSION)
    return gateway.warn(`${base} runs version ${version}, installed is ${VERSION}: restart the gateway.`);
  return status.ready === true
    ? gateway.ok(`hourgate ${version} runs on ${base} and is ready.`)
    : gateway.warn(
        `hourgate ${version} runs on ${base}, but has no forecast yet; look again in a few seconds.`,
      );
}

function ofComponent({ name, state, since, detail }: Record<string, unknown>): Finding {
  const part = about(`component ${String(name)}`);
  const told =
    typeof detail === "string"
      ? detail
      : `It is ${String(state)} since ${String(since)}; its log tells more, and so does the doctor with owner.key in the configuration.`;
  if (state === "ok") return part.ok(typeof detail === "string" ? detail : `Since ${String(since)}.`);
  return state === "degraded" ? part.warn(told) : part.bad(told);
}

/** Where this machine reaches what listens on `host`. */
function localHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}
