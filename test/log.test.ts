import { expect, it } from "vitest";
import { createLog } from "../src/log.js";

it("shortens a key in a log line and changes nothing else", () => {
  const body = `${"Ab_-".repeat(10)}xyz`;
  const lines: string[] = [];
  const log = createLog("info", { write: (line) => lines.push(line) });
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
