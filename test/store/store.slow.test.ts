import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { copyData } from "../../src/store/copy.js";
import { openFolder, openStore } from "../../src/store/store.js";
import { recordingLog, temporaryFolder, temporaryStore } from "./support/folder.js";

describe("openStore", () => {
  it("creates the folder and its parents for its own user only", async () => {
    const folder = join(await temporaryFolder(), "deep", "data");
    const store = await openStore(folder, recordingLog());
    await store.close();
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it("rejects a folder used by another gateway, and opens it after that one has closed", async () => {
    const { folder, store } = await temporaryStore();
    await expect(openStore(folder, recordingLog())).rejects.toMatchObject({
      code: "storage_in_use",
      message: `Another hourgate is using ${folder}; stop it first or set another data_dir.`,
    });
    await store.close();
    await (await openStore(folder, recordingLog())).close();
  });

  it("reports a file in place of the folder", async () => {
    const file = join(await temporaryFolder(), "data");
    await writeFile(file, "");
    for (const path of [file, join(file, "below")]) {
      await expect(openStore(path, recordingLog())).rejects.toMatchObject({
        code: "storage_unavailable",
        message: expect.stringContaining("a file is in the way"),
      });
    }
  });

  it("releases the folder if the state prevents the start", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "state.json"), "[]");
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(openStore(folder, recordingLog())).rejects.toMatchObject({ code: "storage_damaged" });
    }
  });

  it("refuses a copy that was interrupted until it is complete", async () => {
    const { folder, store } = await temporaryStore();
    await store.samples.append("home", [{ at: new Date("2026-01-15T00:00:00Z"), values: { soc_pct: 5 } }]);
    await store.close();
    const target = await temporaryFolder();
    const copy = async (end?: Error) => {
      const [from, to] = [await openFolder(folder, recordingLog()), await openFolder(target, recordingLog())];
      if (end !== undefined) vi.spyOn(to.state, "write").mockRejectedValueOnce(end);
      await copyData(from, to, target).finally(() => Promise.all([from.series.close(), to.series.close()]));
    };
    await expect(copy(new Error("killed"))).rejects.toThrow("killed");
    await expect(openStore(target, recordingLog())).rejects.toMatchObject({
      code: "storage_damaged",
      message: expect.stringMatching(/was interrupted: run "hourgate store copy" again/),
    });
    await copy();
    const copied = await openStore(target, recordingLog());
    expect(await copied.samples.latest("home")).toMatchObject({ soc_pct: { value: 5 } });
    await copied.close();
  });

  it("rejects calls with a sentence after closing", async () => {
    const { store } = await temporaryStore();
    await store.close();
    await expect(store.documents.get("plan")).rejects.toMatchObject({ code: "storage_unavailable" });
    await expect(store.samples.append("home", [])).rejects.toMatchObject({ code: "storage_unavailable" });
  });

  it("completes pending writes before closing", async () => {
    const { folder, store } = await temporaryStore();
    const at = new Date("2026-01-15T00:00:00Z");
    const appended = store.samples.append("home", [{ at, values: { soc_pct: 5 } }]);
    await store.close();
    await appended;
    const again = await openStore(folder, recordingLog());
    expect(await again.samples.latest("home")).toEqual({ soc_pct: { value: 5, at } });
    await again.close();
  });
});

describe("documents", () => {
  it("stores documents by name over a restart", async () => {
    const { folder, store } = await temporaryStore();
    expect(await store.documents.get("plan/home")).toBeUndefined();
    await store.documents.put("plan/home", { steps: [1, null, "ä"] });
    await store.documents.put("plan", 7);
    await store.close();
    const again = await openStore(folder, recordingLog());
    expect(await again.documents.get("plan/home")).toEqual({ steps: [1, null, "ä"] });
    expect(await again.documents.get("plan")).toBe(7);
    await again.close();
  });

  it("rejects values that are not JSON", async () => {
    const { store } = await temporaryStore();
    await expect(store.documents.put("plan", undefined)).rejects.toThrow("not representable as JSON");
  });
});

describe("kill -9", () => {
  it("loses no acknowledged sample and state when killed during writes", async () => {
    const folder = await temporaryFolder();
    const script = fileURLToPath(new URL("support/burst-writer.ts", import.meta.url));
    const child = spawn(process.execPath, ["--import", "tsx", script, folder], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    let output = "";
    await new Promise<void>((resolve, reject) => {
      child.on("exit", () => reject(new Error("the writer ended by itself")));
      child.stdout.on("data", (chunk: Buffer) => {
        output += chunk.toString();
        if (output.includes("state 5\n") && (output.match(/sample/g)?.length ?? 0) > 200) resolve();
      });
    });
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
    // Only complete lines: the kill may have truncated the last one.
    const lines = output.slice(0, output.lastIndexOf("\n")).split("\n");
    const numbers = (kind: string) =>
      lines.filter((line) => line.startsWith(`${kind} `)).map((line) => Number(line.split(" ")[1]));

    const log = recordingLog();
    const store = await openStore(folder, log);
    onTestFinished(() => store.close());
    const firstMs = Date.parse("2026-01-15T00:00:00Z");
    const stored = await store.samples.range(
      "home",
      "import_kwh",
      new Date(firstMs),
      new Date(firstMs + 1e9),
    );
    const values = new Map(stored.map(({ at, value }) => [(at.getTime() - firstMs) / 1000, value]));
    const acknowledged = numbers("sample");
    expect(acknowledged.length).toBeGreaterThan(200);
    for (const index of acknowledged) expect(values.get(index)).toBe(index);
    const latest = (await store.samples.latest("home")).import_kwh;
    expect(latest?.value).toBeGreaterThanOrEqual(Math.max(...acknowledged));
    expect(store.state.data.settings.home?.plant.counter).toBeGreaterThanOrEqual(
      Math.max(...numbers("state")),
    );
    expect(log.warnings).toEqual([]);
  });
});

describe("a write that fails midway", () => {
  it("is rejected, the database recovers, and no acknowledged write is lost", async () => {
    const folder = await temporaryFolder();
    const script = fileURLToPath(new URL("support/limited-writer.ts", import.meta.url));
    // Files are limited to 64 KiB: the log is truncated within a record, as on a full disk.
    const command = 'ulimit -f 64; exec "$0" --import tsx "$1" "$2"';
    const output = execFileSync("bash", ["-c", command, process.execPath, script, folder], {
      encoding: "utf8",
    });
    const outcomes = output
      .trim()
      .split("\n")
      .map((line) => line.split(" "));
    const refused = outcomes.findIndex(([, outcome]) => outcome === "storage_unavailable");
    expect(refused).toBeGreaterThan(0);
    expect(outcomes[refused]?.[2]).toBe("failing");
    expect(outcomes[refused + 1]?.slice(1)).toEqual(["stored", "healthy"]);

    const store = await openStore(folder, recordingLog());
    onTestFinished(() => store.close());
    const stored = await store.samples.range("home", "import_kwh", new Date(0), new Date(1e13));
    const values = new Set(stored.map(({ value }) => value));
    const lost = outcomes.filter(([index, outcome]) => outcome === "stored" && !values.has(Number(index)));
    expect(lost).toEqual([]);
  });
});
