import { readdirSync, readFileSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { ForecastIssueSet } from "../../../src/forecast/price/forecast-issue-set.js";
import { trainingDays } from "../../../src/forecast/price/train.js";
import { BackgroundTraining } from "../../../src/forecast/price/training.js";
import { eventually } from "../../support/eventually.js";
import { recordedSeries } from "./recorded-prices.js";

/** A file of a process in /proc; empty if the process has ended. */
function proc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}

/** The child processes of this one. */
const children = () =>
  readdirSync("/proc").filter((pid) => /^PPid:\t(\d+)$/m.exec(proc(pid, "status"))?.[1] === `${process.pid}`);

it.skipIf(process.platform !== "linux")(
  "trains with low priority, in a process that is killed first if memory runs out",
  async () => {
    const days = trainingDays(recordedSeries("2022-01-01"), new Date("2026-02-28T12:00Z"));
    const before = children();
    const training = new BackgroundTraining();
    onTestFinished(() => training.stop());
    const stopped = expect(training.train(days, ForecastIssueSet.empty)).rejects.toThrow("stopping");
    const [pid] = await eventually(() => {
      const started = children().filter((one) => !before.includes(one));
      expect(started).toHaveLength(1);
      return started;
    });
    // More than the 500 of Node-RED, whose flows would not be restarted.
    await eventually(() => expect(proc(pid!, "oom_score_adj").trim()).toBe("750"));
    // The seventeenth field after the name in brackets.
    expect(proc(pid!, "stat").split(") ")[1]!.split(" ")[16]).toBe("10");
    await training.stop();
    await stopped;
  },
);
