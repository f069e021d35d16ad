import { spawn } from "node:child_process";
import { describe, expect, it } from "vitest";
import { runCommand } from "../support/run-command.js";
import { COMMAND } from "./gateway-process.js";

function demo(...args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [COMMAND, "demo", "--http-port", "0", "--mqtt-port", "0", ...args]);
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output += chunk;
  });
  return new Promise((ended) => child.once("exit", (code) => ended({ code, output })));
}

describe("hourgate demo", () => {
  it("lets a home obey the outputs over MQTT up to a time, and sums up", async () => {
    // As fast as the machine can: the clock waits for the home and for the gateway's answers.
    const { code, output } = await demo("--until", "Mon 00:30", "--exit");
    expect(output).toContain("The demonstration runs at http://localhost:");
    const sum = /So far: (-?[\d.]+) EUR, uncontrolled (-?[\d.]+) EUR: saved (-?[\d.]+) EUR/.exec(output);
    expect(sum, output).not.toBeNull();
    const [cost, uncontrolled, saved] = sum!.slice(1).map(Number) as [number, number, number];
    expect(uncontrolled).toBeGreaterThan(0);
    // What is saved is the difference and the worth of what is stored.
    const stored = Number(/with (-?[\d.]+) EUR for energy/.exec(output)?.[1] ?? 0);
    expect(saved).toBeCloseTo(uncontrolled - cost + stored, 1);
    expect(output).not.toContain("refused");
    expect(code).toBe(0);
  }, 600_000);

  it("says what is wrong with an option", async () => {
    const speed = await runCommand(["demo", "--speed", "fast"]);
    expect(speed.code).toBe(2);
    expect(speed.error).toContain("--speed must be a number from 1 to 20000.");
    const until = await runCommand(["demo", "--until", "18:40"]);
    expect(until.error).toContain("--until must be a weekday and a time, such as 'Sat 18:40'.");
    expect(until.code).toBe(2);
  });
});
