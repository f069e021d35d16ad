import { describe, expect, it } from "vitest";
import { silentLog } from "../../src/core/log.js";
import { csrfTokenOf, isCsrfToken, isSessionId, newSessionId, Sessions } from "../../src/portal/session.js";

const DAY = 24 * 60 * 60 * 1000;

function disk() {
  const kept = new Map<string, string>();
  return {
    kept,
    get: async (name: string) => (kept.has(name) ? JSON.parse(kept.get(name)!) : undefined),
    put: async (name: string, value: unknown) => void kept.set(name, JSON.stringify(value)),
  };
}

async function sessionsOn(documents: ReturnType<typeof disk>, wall: { nowMs: number }) {
  const sessions = new Sessions({
    documents,
    log: silentLog,
    isAccount: () => true,
    wallNowMs: () => wall.nowMs,
  });
  await sessions.start();
  return sessions;
}

describe("sessions", () => {
  it("survive a restart, with nothing on disk that opens one", async () => {
    const documents = disk();
    const wall = { nowMs: 0 };
    const before = await sessionsOn(documents, wall);
    const id = await before.create("anna");
    before.putFlash(before.find(id)!, "key", "hg_live_secret");
    await before.stop();

    const after = await sessionsOn(documents, wall);
    expect(after.find(id)).toMatchObject({ accountId: "anna" });
    const written = [...documents.kept.values()].join();
    expect(written).toContain("anna");
    expect(written).not.toContain(id);
    expect(written).not.toContain("hg_live_secret");
    // What is written down is no id either.
    expect(after.find(after.find(id)!.idHash)).toBeUndefined();
  });

  it("end after 14 idle days, and after 90 days in any case", async () => {
    const wall = { nowMs: 0 };
    const sessions = await sessionsOn(disk(), wall);
    const idle = await sessions.create("anna");
    wall.nowMs = 14 * DAY - 1;
    expect(sessions.find(idle)).toBeDefined();
    wall.nowMs += 14 * DAY;
    expect(sessions.find(idle)).toBeUndefined();

    const busy = await sessions.create("anna");
    const began = wall.nowMs;
    for (let day = 10; day < 90; day += 10) {
      wall.nowMs = began + day * DAY;
      expect(sessions.find(busy)).toBeDefined();
    }
    wall.nowMs = began + 90 * DAY;
    expect(sessions.find(busy)).toBeUndefined();
  });

  it("end in time also when they were made while the clock was ahead by years, and outlive such a clock", async () => {
    const now = Date.UTC(2026, 0, 15);
    const wall = { nowMs: now };
    const sessions = await sessionsOn(disk(), wall);
    const before = await sessions.create("anna");
    wall.nowMs = Date.UTC(2099, 0, 1);
    expect(sessions.find(before)).toBeUndefined();
    wall.nowMs = now + 60_000;
    expect(sessions.find(before)).toBeDefined();
    wall.nowMs = Date.UTC(2099, 0, 1);
    const ahead = await sessions.create("berta");
    wall.nowMs = now + 120_000;
    expect(sessions.find(ahead)).toBeDefined();
    wall.nowMs += 14 * DAY;
    expect(sessions.find(ahead)).toBeUndefined();
  });

  it("remember their use over a restart", async () => {
    const documents = disk();
    const wall = { nowMs: 0 };
    const before = await sessionsOn(documents, wall);
    const id = await before.create("anna");
    wall.nowMs = 10 * DAY;
    before.find(id);
    await before.stop();
    wall.nowMs = 20 * DAY;
    expect((await sessionsOn(documents, wall)).find(id)).toBeDefined();
  });

  it("are ended one by one, or all others of the account", async () => {
    const documents = disk();
    const wall = { nowMs: 0 };
    const sessions = await sessionsOn(documents, wall);
    const [own, other, stranger] = [
      await sessions.create("anna"),
      await sessions.create("anna"),
      await sessions.create("bert"),
    ];
    await sessions.endOthers(sessions.find(own!)!);
    const after = await sessionsOn(documents, wall);
    expect([own, other, stranger].map((id) => after.find(id) !== undefined)).toEqual([true, false, true]);
    await after.end(after.find(own)!);
    expect((await sessionsOn(documents, wall)).find(own)).toBeUndefined();
  });

  it("are at most 20 an account: the one that was idle longest gives way", async () => {
    const wall = { nowMs: 0 };
    const sessions = await sessionsOn(disk(), wall);
    const ids: string[] = [];
    for (let count = 0; count < 21; count++) {
      wall.nowMs += 1000;
      ids.push(await sessions.create("anna"));
    }
    expect(ids.map((id) => sessions.find(id) !== undefined)).toEqual([false, ...Array(20).fill(true)]);
  });

  it("begin anew where what was kept makes no sense", async () => {
    const documents = disk();
    await documents.put("portal/sessions", { sessions: [null, 7, { idHash: "x" }] });
    const sessions = await sessionsOn(documents, { nowMs: 0 });
    expect(sessions.find(await sessions.create("anna"))).toBeDefined();
  });

  it("hand a flash on once, and for ten minutes", async () => {
    const wall = { nowMs: 0 };
    const sessions = await sessionsOn(disk(), wall);
    const session = sessions.find(await sessions.create("anna"))!;
    sessions.putFlash(session, "notice", "saved");
    expect(sessions.takeFlash(session, "key")).toBeUndefined();
    expect(sessions.takeFlash(session, "notice")).toBe("saved");
    expect(sessions.takeFlash(session, "notice")).toBeUndefined();
    sessions.putFlash(session, "notice", "saved");
    wall.nowMs += 10 * 60 * 1000;
    expect(sessions.takeFlash(session, "notice")).toBeUndefined();
  });
});

describe("form tokens", () => {
  it("belong to one id", () => {
    const [id, other] = [newSessionId(), newSessionId()];
    expect(isSessionId(id)).toBe(true);
    expect(isCsrfToken(csrfTokenOf(id), id)).toBe(true);
    expect(isCsrfToken(csrfTokenOf(other), id)).toBe(false);
    expect(isCsrfToken("", id)).toBe(false);
    expect(csrfTokenOf(id)).not.toContain(id);
  });
});
