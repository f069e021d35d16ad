#!/usr/bin/env node
// Kills or stops evcc, the gateway or the broker while commands are in force, starts it again, and says for how long battery and wallbox of
// the simulated home were in another state, and what the gateway said about them.
//
//   node cells.mjs FOLDER EVCC [--transport mqtt|http] [--interval SECONDS] all | CELL …      in a built checkout
//
// CELL: hold|charge|release,evcc|hourgate|broker,stop|kill,SECONDS OFF. The wallbox is on in each. `release`: charged until the absence,
// then left to itself. `all`: hold and charge, each absent side, 4 and 120 s. Writes FOLDER/cells.jsonl, and timelines to FOLDER/timeline.log.
// Listens on 127.0.0.1:1884 (mosquitto), 7170 (evcc), 7171 (home), 8180 (gateway); see README.md for networks of its own.
import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { Trial } from "./cells-trial.mjs";
import { Watch } from "./cells-watch.mjs";

const { values, positionals } = parseArgs({
  options: {
    transport: { type: "string", default: "mqtt" },
    interval: { type: "string", default: "5" },
  },
  allowPositionals: true,
});
const [folder, evcc, ...asked] = positionals;
if (!folder || !evcc || asked.length === 0)
  throw new Error("usage: cells.mjs FOLDER EVCC [--transport mqtt|http] [--interval SECONDS] all | CELL …");
const all = ["hold", "charge"].flatMap((command) =>
  ["evcc", "hourgate", "broker"].flatMap((side) =>
    ["stop", "kill"].flatMap((how) => [4, 120].map((off) => `${command},${side},${how},${off}`)),
  ),
);
const cells = asked.flatMap((one) => (one === "all" ? all : [one]));

/** Time for which a cell is watched once all sides answer again, and most time until then, s. */
const WATCHED_S = 90;
const LONGEST_START_S = 120;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const log = (...words) => console.log(new Date().toISOString().slice(11, 19), ...words);
fs.mkdirSync(folder, { recursive: true });

const trial = new Trial({
  folder: path.resolve(folder),
  evcc,
  transport: values.transport,
  intervalS: Number(values.interval),
});
for (const signal of ["SIGINT", "SIGTERM"])
  process.on(signal, () => void trial.stop().then(() => process.exit(1)));
await trial.start();
log("up");
for (const cell of cells) {
  const [command, side, how, offS] = cell.split(",");
  const before = command === "release" ? "charge" : command;
  const after = command === "release" ? "free" : command;
  // While the vehicle charges in mode now, hourgate holds the battery instead of releasing it.
  const expected = command === "release" ? "hold" : command;
  await trial.command(before);
  const watch = new Watch({
    trial,
    before,
    after: expected,
    timeline: path.join(folder, "timeline.log"),
    name: cell,
  });
  await watch.start();
  if (!(await watch.untilRight(120_000))) {
    log(`| ${cell} | not ready: ${watch.now} |`);
    record({ cell, ready: false, now: watch.now });
    watch.stop();
    continue;
  }
  await sleep(5_000);
  watch.begin();
  await trial.down(side, how === "kill" ? "SIGKILL" : "SIGTERM");
  if (command === "release" && side !== "hourgate") await trial.command(after);
  await sleep(Number(offS) * 1000);
  await trial.up(side);
  watch.back();
  if (command === "release" && side === "hourgate") await trial.command(after);
  for (let s = 0; s < LONGEST_START_S && !watch.isUp; s++) await sleep(1000);
  await sleep(WATCHED_S * 1000);
  watch.stop();
  const result = watch.result();
  record({ cell, ready: true, ...result });
  log(watch.row());
}
await trial.stop();
process.exit();

function record(result) {
  const line = { at: new Date().toISOString(), transport: values.transport, ...result };
  fs.appendFileSync(path.join(folder, "cells.jsonl"), `${JSON.stringify(line)}\n`);
}
