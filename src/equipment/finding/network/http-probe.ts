import { valueIn } from "../../values.js";
import { type Candidate, candidateOf, fits, type Probe } from "../probes.js";

const TIMEOUT_MS = 2_000;
const LARGEST_ANSWER = 256 * 1024;
/** A device that asks for a password says what it is. */
const REFUSED = 401;

export interface HttpPlace {
  host: string;
  port: number;
}

/** Asks a port for the tell-tales of HTTP devices, one after the other. Never rejects. */
export async function probeHttp(
  place: HttpPlace,
  probes: readonly Probe[],
  signal: AbortSignal,
): Promise<Candidate[]> {
  const answers = new Map<string, Answer | undefined>();
  const found = new Map<string, Candidate>();
  for (const probe of probes) {
    if (signal.aborted || found.has(probe.template.id)) continue;
    const { url = "/", method = "GET", body, pointer } = probe.detect;
    const key = `${method} ${url} ${body ?? ""}`;
    if (!answers.has(key)) {
      const answer = await ask(place, { path: url, method, body }, signal);
      // What does not speak HTTP, or does not answer, is not asked again.
      if (answer === "silent") return [...found.values()];
      answers.set(key, answer);
    }
    const answer = answers.get(key);
    if (answer === undefined || (answer.status === REFUSED && pointer !== undefined)) continue;
    const value = valueIn(answer.text, { pointer });
    if (value === undefined || !fits(probe.detect, value)) continue;
    found.set(probe.template.id, candidateOf(probe, { ...place, value }));
  }
  return [...found.values()];
}

interface Answer {
  status: number;
  text: string;
}

/** Undefined: an answer without what was asked for. */
async function ask(
  { host, port }: HttpPlace,
  { path, method, body }: { path: string; method: string; body: string | undefined },
  signal: AbortSignal,
): Promise<Answer | undefined | "silent"> {
  try {
    const response = await fetch(`http://${host}:${port}${path}`, {
      method,
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      ...(body !== undefined && { body, headers: { "content-type": "application/json" } }),
    });
    const text = await readText(response);
    return response.ok || response.status === REFUSED ? { status: response.status, text } : undefined;
  } catch {
    return "silent";
  }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > LARGEST_ANSWER) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
