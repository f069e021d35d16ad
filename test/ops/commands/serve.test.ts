import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { defaultSettings } from "../../../src/config/load.js";
import { serve } from "../../../src/ops/commands/serve.js";
import type { Startable } from "../../../src/ops/servers.js";

const forever = () => new Promise<void>(() => {});

function running(gateway: Partial<Startable>, stopLimitMs = 5_000) {
  const calls: string[] = [];
  const errors: string[] = [];
  const signals = new EventEmitter();
  const terminal = { environment: {}, out: () => {}, error: (line: string) => errors.push(line) };
  const createGateway = (): Startable => ({
    start: async () => {
      calls.push("start");
      await gateway.start?.();
    },
    stop: async () => {
      calls.push("stop");
      await gateway.stop?.();
    },
  });
  const code = serve(defaultSettings(), { createGateway, signals, terminal, stopLimitMs });
  return { code, calls, errors, signals };
}

/** Lets everything that is due by promises run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe("serve", () => {
  it.each(["SIGTERM", "SIGINT"])("%s stops the gateway and ends with 0", async (signal) => {
    const { code, calls, errors, signals } = running({});
    await settle();
    expect(calls).toEqual(["start"]);
    signals.emit(signal);
    expect(await code).toBe(0);
    expect(calls).toEqual(["start", "stop"]);
    expect(errors).toEqual([]);
    expect(signals.listenerCount("SIGTERM") + signals.listenerCount("SIGINT")).toBe(0);
  });

  it("a signal during the start does not wait for it", async () => {
    const { code, calls, signals } = running({ start: forever });
    signals.emit("SIGTERM");
    expect(await code).toBe(0);
    expect(calls).toEqual(["start", "stop"]);
  });

  it("a failed start is one sentence and exit code 1, and what stood is taken down", async () => {
    const { code, calls, errors } = running({
      start: () => Promise.reject(new Error("Port 8080 is in use\n    at somewhere")),
    });
    expect(await code).toBe(1);
    expect(errors).toEqual(["hourgate cannot start: Port 8080 is in use."]);
    expect(calls).toEqual(["start", "stop"]);
  });

  it("a stop that hangs is left behind", async () => {
    const { code, errors, signals } = running({ stop: forever }, 10);
    await settle();
    signals.emit("SIGTERM");
    expect(await code).toBe(1);
    expect(errors).toEqual(["hourgate ended: stopping took over 0.01 s."]);
  });

  it("a second signal ends at once", async () => {
    const { code, signals } = running({ stop: forever });
    await settle();
    signals.emit("SIGINT");
    signals.emit("SIGINT");
    expect(await code).toBe(1);
  });
});
