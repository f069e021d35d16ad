import { lookup } from "node:dns";
import { DeviceError } from "../../command.js";
import { RctConnection } from "../../transport/rct-connection.js";
import { type Candidate, candidateOf, fits, type Probe } from "../probes.js";

const TIMEOUT_MS = 1_500;

/** Reads the tell-tales of inverters of RCT Power over one connection, which is closed at once. Never rejects. */
export async function probeRct(
  place: { host: string; port: number },
  probes: readonly Probe[],
  signal: AbortSignal,
): Promise<Candidate[]> {
  if (probes.length === 0) return [];
  const connection = new RctConnection({ ...place, lookup, timeoutMs: TIMEOUT_MS });
  const stop = () => connection.stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const found: Candidate[] = [];
    for (const probe of probes) {
      if (signal.aborted) break;
      const data = await connection.read(probe.detect.rct!);
      const value = data.toString("latin1").split("\0")[0]!.trim();
      if (fits(probe.detect, value)) found.push(candidateOf(probe, { ...place, value }));
    }
    return found;
  } catch (error) {
    if (error instanceof DeviceError) return [];
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
    connection.stop();
  }
}
