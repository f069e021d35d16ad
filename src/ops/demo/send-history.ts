import { setTimeout as wait } from "node:timers/promises";

const SAMPLES_PER_REQUEST = 1000;
const TRIES = 5;
const PAUSE_MS = 1_000;

/**
 * Sends past meter readings to the gateway. Repeats a call that failed on its way: on a slow machine the gateway, in the same process, closes an
 * idle connection in the moment in which it is used again.
 */
export async function sendHistory(
  address: string,
  key: string,
  samples: readonly unknown[],
  pause: () => Promise<unknown> = () => wait(PAUSE_MS),
): Promise<void> {
  for (let from = 0; from < samples.length; from += SAMPLES_PER_REQUEST) {
    const body = JSON.stringify({ samples: samples.slice(from, from + SAMPLES_PER_REQUEST) });
    const response = await repeated(pause, () =>
      fetch(`${address}/v1/plant/telemetry`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": key },
        body,
      }),
    );
    if (!response.ok) throw new Error(`the meter readings were refused: ${await response.text()}`);
  }
}

async function repeated<Result>(pause: () => Promise<unknown>, call: () => Promise<Result>): Promise<Result> {
  for (let left = TRIES - 1; ; left--) {
    try {
      return await call();
    } catch (error) {
      if (left === 0) throw error;
      await pause();
    }
  }
}
