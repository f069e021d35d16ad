import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { VERSION } from "../../src/core/version.js";
import { StateFile } from "../../src/store/state.js";
import { recordingLog, temporaryFolder } from "./support/folder.js";

async function openState() {
  const path = join(await temporaryFolder(), "state.json");
  return { path, state: await StateFile.open(path, recordingLog()) };
}

const named = (name: string) => ({ home: { plant: { name }, telemetry: null } });
const counted = (counter: number) => ({ home: { plant: { counter }, telemetry: null } });

describe("StateFile", () => {
  it("starts empty with a constant installation id", async () => {
    const { path, state } = await openState();
    expect(state.data).toMatchObject({ version: 1, accounts: [], keys: [], settings: {} });
    const again = await StateFile.open(path, recordingLog());
    expect(again.data.installationId).toBe(state.data.installationId);
    expect(state.data.installationId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("refuses what a later version has written, also in another shape, and opens that of its own patches", async () => {
    const { path } = await openState();
    const state = { ...JSON.parse(await readFile(path, "utf8")), version: 2 };
    const [major, minor] = VERSION.split(".").map(Number);
    const later = `${major}.${minor! + 1}.0`;
    await writeFile(path, JSON.stringify({ ...state, writtenBy: later }));
    await expect(StateFile.open(path, recordingLog())).rejects.toMatchObject({
      code: "storage_later",
      message: expect.stringContaining(`written by a later version of hourgate, ${later},`),
    });
    await writeFile(path, JSON.stringify({ ...state, version: 1, writtenBy: `${major}.${minor}.99` }));
    const opened = await StateFile.open(path, recordingLog());
    expect(opened.data.writtenBy).toBe(VERSION);
  });

  it("is on disk, in file and backup, when an update resolves", async () => {
    const { path, state } = await openState();
    await state.update((draft) => {
      draft.settings = named("Lights");
    });
    for (const file of [path, `${path}.backup`]) {
      expect(JSON.parse(await readFile(file, "utf8"))).toEqual(state.data);
    }
  });

  it("runs concurrent updates one after another and loses none", async () => {
    const { path, state } = await openState();
    await Promise.all(
      Array.from({ length: 20 }, () =>
        state.update((draft) => {
          draft.settings = counted(Number(draft.settings.home?.plant.counter ?? 0) + 1);
        }),
      ),
    );
    expect((await StateFile.open(path, recordingLog())).data.settings).toEqual(counted(20));
  });

  it("returns what the change returns", async () => {
    const { state } = await openState();
    expect(await state.update((draft) => draft.version)).toBe(1);
  });

  it("changes nothing in memory or on disk if a change throws or violates the schema", async () => {
    const { path, state } = await openState();
    const before = await readFile(path, "utf8");
    const view = state.data;
    await expect(
      state.update((draft) => {
        draft.settings = named("half");
        throw new Error("cancelled");
      }),
    ).rejects.toThrow("cancelled");
    await expect(
      state.update((draft) => {
        (draft as { version: number }).version = 2;
      }),
    ).rejects.toThrow("would make the state invalid");
    expect(state.data).toBe(view);
    expect(await readFile(path, "utf8")).toBe(before);
    await state.update((draft) => {
      draft.settings = named("fine");
    });
    expect(state.data.settings).toEqual(named("fine"));
  });

  it("can only be changed by update", async () => {
    const { state } = await openState();
    expect(() => (state.data.accounts as unknown[]).push({})).toThrow(TypeError);
  });

  it("restores both files at once after using the backup", async () => {
    const { path, state } = await openState();
    await writeFile(path, '{"version":1}');
    const log = recordingLog();
    const again = await StateFile.open(path, log);
    expect(again.data).toEqual(state.data);
    expect(log.warnings[0]).toContain("the backup");
    expect(JSON.parse(await readFile(path, "utf8"))).toEqual(state.data);
    const quiet = recordingLog();
    await StateFile.open(path, quiet);
    expect(quiet.warnings).toEqual([]);
  });

  it("updates a backup that is older because of a kill", async () => {
    const { path, state } = await openState();
    const older = await readFile(`${path}.backup`);
    await state.update((draft) => {
      draft.settings = named("newer");
    });
    await writeFile(`${path}.backup`, older);
    await StateFile.open(path, recordingLog());
    expect(JSON.parse(await readFile(`${path}.backup`, "utf8")).settings).toEqual(named("newer"));
  });
});
