import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { Addresses } from "../../../src/equipment/transport/addresses.js";
import { type RigOptions, rig } from "./rig.js";

const READS = `readings:
  grid_power_kw: { holding: 100, type: i16, unit: W, sign: "+import" }
  soc_pct: { holding: 110, unit: "%" }`;

function open(options: Partial<RigOptions>) {
  const one = rig({ reads: READS, host: "127.0.0.1", port: 0, ...options });
  onTestFinished(() => one.device.stop());
  return one;
}

const hasPython = spawnSync("python3", ["--version"]).status === 0;

// A pseudo terminal needs a program that opens it.
describe.skipIf(!hasPython)("a serial line", () => {
  const LINE = `
import os, pty, tty, sys
master, slave = pty.openpty()
tty.setraw(master); tty.setraw(slave)
print(os.ttyname(slave), flush=True)
def crc(data):
    value = 0xffff
    for byte in data:
        value ^= byte
        for _ in range(8): value = (value >> 1) ^ 0xa001 if value & 1 else value >> 1
    return value.to_bytes(2, "little")
buffer = b""
while True:
    buffer += os.read(master, 256)
    while len(buffer) >= 8:
        request, buffer = buffer[:8], buffer[8:]
        if crc(request[:6]) != request[6:] or request[0] != 7: continue
        words = b"\\x00\\x29" * request[5]
        answer = request[:2] + bytes([len(words)]) + words
        os.write(master, b"\\xff\\x00" + answer + crc(answer))
`;

  it("is read by RTU frames, and a wrong unit is silent", async () => {
    const child = spawn("python3", ["-c", LINE], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    const [path] = await once(child.stdout, "data");
    const addresses = new Addresses({ pausesMs: [0] });
    const [right, wrong] = [7, 8].map((unit) =>
      open({ addresses, with: { host: String(path).trim(), unit } }),
    );
    await right!.poll();
    expect([right!.value("soc_pct"), right!.value("grid_power_kw")]).toEqual([41, 0.041]);
    await wrong!.poll();
    expect([wrong!.value("soc_pct"), wrong!.device.lastError?.code]).toEqual(["missing", "timeout"]);
    await right!.poll();
    expect(right!.value("soc_pct")).toBe(41);
  });

  it("that is not there is said", async () => {
    const one = open({ with: { host: "/dev/ttyNOWHERE", unit: 7 } });
    for (let poll = 0; poll < 3; poll++) await one.poll();
    expect(one.device.reason).toMatch(/ttyNOWHERE/);
  });
});
