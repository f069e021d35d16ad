import { expect, it } from "vitest";
import { createLog } from "../../src/core/log.js";

it("shortens a key in a log line and changes nothing else", () => {
  const body = `${"Ab_-".repeat(10)}xyz`;
  const lines: string[] = [];
  const log = createLog({ level: "info" }, { write: (line) => lines.push(line) });
  log.warn({ username: `hg_live_${body}`, topics: [`a/hg_live_${body}/b`] }, `No page /hg_live_${body}.`);
  log.info({ prefix: "hg_live_Ab_-Ab", hash: body }, "A key was made.");
  log.debug({}, "Not at this level.");
  const [first, second, ...more] = lines.map((line) => JSON.parse(line));
  expect(first).toMatchObject({
    username: "hg_live_Ab_-Ab…",
    topics: ["a/hg_live_Ab_-Ab…/b"],
    msg: "No page /hg_live_Ab_-Ab….",
  });
  expect(second).toMatchObject({ level: 30, prefix: "hg_live_Ab_-Ab", hash: body, msg: "A key was made." });
  expect(more).toEqual([]);
});

it("writes readable lines as text, with keys shortened too", () => {
  const lines: string[] = [];
  const log = createLog({ level: "info", format: "text" }, { write: (line) => lines.push(line) });
  log.warn({ address: "192.0.2.7", user: `hg_live_${"A".repeat(43)}` }, "A client was refused.");
  expect(lines.join("")).toMatch(
    /^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] WARN: A client was refused\. \{"address":"192\.0\.2\.7","user":"hg_live_A{6}…"\}\n$/,
  );
});

it("shows a terminal no controls of a stranger: one line for each message, and nothing reversed", () => {
  const lines: string[] = [];
  const log = createLog({ level: "info", format: "text" }, { write: (line) => lines.push(line) });
  log.warn(
    { device: "\u001b[2J\u009b1A\u202Elive" },
    "The server sent \u001b]0;x\u0007\r\n[12:00] INFO: All is well.",
  );
  expect(lines.join("")).toMatch(
    / WARN: The server sent {2}\]0;x \[12:00\] INFO: All is well\. \{"device":" \[2J 1A live"\}\n$/,
  );
});
