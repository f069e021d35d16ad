import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const cli = join(resolve(import.meta.dirname, "../.."), "dist/cli.js");

function demo(...args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [cli, "demo", "--http-port", "0", "--mqtt-port", "0", ...args]);
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
  it("runs a day in which a home obeys the outputs over MQTT, and costs less than without control", async () => {
    // As fast as the machine can: the clock waits for the home and for the gateway's answers.
    const { code, output } = await demo("--hold", "--days", "1", "--exit");
    expect(output).toContain("The demonstration runs at http://localhost:");
    const day = /Day 1: (-?[\d.]+) EUR, uncontrolled (-?[\d.]+) EUR .* battery \+([\d.]+) kWh/.exec(output);
    expect(day, output).not.toBeNull();
    expect(Number(day![1])).toBeLessThan(Number(day![2]));
    expect(Number(day![3])).toBeGreaterThan(1);
    expect(output).toMatch(/One day: .* EUR, uncontrolled .* EUR: saved (?!-)/);
    expect(output).not.toContain("refused");
    expect(code).toBe(0);
  }, 600_000);

  it("says what is wrong with an option", async () => {
    const { code, output } = await demo("--speed", "fast");
    expect(code).toBe(2);
    expect(output).toContain("--speed must be a number from 1 to 20000.");
    const until = await demo("--until", "18:40");
    expect(until.output).toContain("--until must be a weekday and a time, such as 'Sat 18:40'.");
    expect(until.code).toBe(2);
  });
});
