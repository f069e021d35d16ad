import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { silentLog } from "../../../src/core/log.js";
import type { Child, ChildOptions } from "../../../src/edges/node-red/child.js";
import { Supervisor } from "../../../src/edges/node-red/supervisor.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A supervisor with fake processes. */
function supervised({ prepare = async () => {} } = {}) {
  const runs: { safeMode: boolean; say: ChildOptions["onMessage"]; end: () => void }[] = [];
  const reported: string[] = [];
  const supervisor = new Supervisor({
    timezone: "Europe/Vienna",
    prepare: async () => {
      await prepare();
      return { userFolder: "/u", path: "/node-red", paletteFolder: "/p", credentialSecret: "s" };
    },
    signIn: { signIn: async () => undefined, user: () => undefined, signOut: () => {} },
    components: { report: (_name, state) => void reported.push(state) },
    log: silentLog,
    start: ({ start, onMessage }): Child => {
      let end = () => {};
      const ended = new Promise<string>((resolve) => {
        end = () => resolve("it ended with code 1");
      });
      runs.push({ safeMode: start.safeMode, say: onMessage, end });
      return {
        pid: runs.length,
        ended,
        stop: async () => {
          end();
          await ended;
        },
      };
    },
  });
  const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);
  const last = () => runs.at(-1)!;
  const ready = () => last().say({ type: "ready", port: 1880 }, () => {});
  return { supervisor, runs, last, ready, seconds, state: () => reported.at(-1) };
}

it("starts without flows after five consecutive failures, until a deploy", async () => {
  const { supervisor, runs, last, ready, seconds, state } = supervised();
  await supervisor.start();
  await seconds(0);
  for (const waitSeconds of [1, 2, 4, 8, 16]) {
    ready();
    expect([last().safeMode, state(), supervisor.port]).toEqual([false, "ok", 1880]);
    last().end();
    await seconds(0);
    expect(supervisor.port).toBeUndefined();
    const before = runs.length;
    await seconds(waitSeconds - 0.001);
    expect(runs).toHaveLength(before);
    await seconds(0.001);
    expect(runs).toHaveLength(before + 1);
  }
  ready();
  expect([last().safeMode, state()]).toEqual([true, "degraded"]);
  last().say({ type: "flows_started" }, () => {});
  expect(state()).toBe("ok");
  await seconds(16 * 60);
  expect(runs).toHaveLength(6);
  await supervisor.stop();
});

it("starts the flows again after 15 minutes", async () => {
  const { supervisor, last, ready, seconds } = supervised();
  await supervisor.start();
  await seconds(0);
  for (const waitSeconds of [1, 2, 4, 8, 16]) {
    last().end();
    await seconds(waitSeconds);
  }
  ready();
  expect(last().safeMode).toBe(true);
  await seconds(15 * 60 + 1);
  expect(last().safeMode).toBe(false);
  await supervisor.stop();
});

it("reports an unusable folder and retries; does not start after stop", async () => {
  let isFull = true;
  const { supervisor, runs, last, seconds, state } = supervised({
    prepare: async () => {
      if (isFull)
        throw new Error("Node-RED's folder cannot be used (ENOSPC); make it writable for hourgate.");
    },
  });
  await supervisor.start();
  await seconds(0);
  expect(state()).toBe("degraded");
  await seconds(1 + 2);
  expect(state()).toBe("down");
  isFull = false;
  await seconds(4);
  expect(runs).toHaveLength(1);
  last().end();
  await seconds(0);
  await supervisor.stop();
  await seconds(600);
  expect(runs).toHaveLength(1);
});
