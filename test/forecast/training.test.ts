import { readdirSync, readFileSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { ForecastIssueSet } from "../../src/forecast/forecast-issue-set.js";
import { trainingDays } from "../../src/forecast/train.js";
import { trainInChildProcess } from "../../src/forecast/training.js";
import { eventually } from "../support/eventually.js";
import { recordedSeries } from "./recorded-prices.js";

/** What /proc holds of a process; empty when it has ended meanwhile. */
function proc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}

/** The processes that this one started. */
const children = () =>
  readdirSync("/proc").filter((pid) => /^PPid:\t(\d+)$/m.exec(proc(pid, "status"))?.[1] === `${process.pid}`);

it.skipIf(process.platform !== "linux")(
  "trains behind the gateway: later on the processor, and first to go where memory runs out",
  async () => {
    const days = trainingDays(recordedSeries("2022-01-01"), new Date("2026-02-28T12:00Z"));
    const before = children();
    const training = trainInChildProcess(days, ForecastIssueSet.empty);
    onTestFinished(() => training.stop());
    const [pid] = await eventually(() => {
      const started = children().filter((one) => !before.includes(one));
      expect(started).toHaveLength(1);
      return started;
    });
    // More than the 500 of Node-RED, whose flows are not tried again.
    await eventually(() => expect(proc(pid!, "oom_score_adj").trim()).toBe("750"));
    // Behind the name in brackets, the seventeenth.
    expect(proc(pid!, "stat").split(") ")[1]!.split(" ")[16]).toBe("10");
  },
);
