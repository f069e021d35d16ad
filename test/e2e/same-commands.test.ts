import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "mqtt";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { parsePlant } from "../../src/config/plant.js";
import { DAY_MS, HOUR_MS, hourOf, hoursOf, MINUTE_MS, QUARTER_MS } from "../../src/core/domain/interval.js";
import { silentLog } from "../../src/core/log.js";
import { localDate } from "../../src/core/time/zone.js";
import { PriceSeries } from "../../src/forecast/market/price-series.js";
import { type Command, forecastLoad, type LoadModel, planPolicy } from "../../src/index.js";
import { Ledger } from "../../src/money/ledger/ledger.js";
import type { HomeCommands } from "../../src/ops/demo/home.js";
import { MqttHome } from "../../src/ops/demo/mqtt-home.js";
import { type DayResult, DemoRun } from "../../src/ops/demo/run.js";
import {
  createScenario,
  demoSettings,
  pricesCsv,
  type Scenario,
  weatherCsv,
} from "../../src/ops/demo/scenario.js";
import { openStore } from "../../src/store/store.js";
import { manualClock } from "../support/manual-clock.js";
import { call, type GatewayProcess, sandbox, startGateway, TEST_KEY } from "./gateway-process.js";

/** Days of the run; two with `GATEWAY_DAYS=2`. */
const DAYS = Number(process.env.GATEWAY_DAYS ?? 1);
const SPEED = 20_000;
/** Charges end after a few minutes where the sun of the hour brings the rest: only the SOC shows them. */
const REPORT_MINUTES = 5;
const SEED = 2;
/** Little PV, so that charging from the grid pays. */
const PEAK_KW = 2;
const CONTROLS = ["charge", "hold", "block"] as const;
const CAPACITY_KWH = 10;
const POWER_KW = 5;

/** What the gateway writes to its log with each decision, as far as this test reads it. */
interface Decision {
  input: {
    now: string;
    soc: { pct: number };
    netLoadKw?: number;
    pvKw?: number;
    prices: { start: string; end: string; importCtKwh: number; exportCtKwh: number; source: string }[];
    pvKwh: number[];
    keepCommand: boolean;
  };
  loadModel?: LoadModel;
  command: Command;
}

const spring = createScenario(2, SEED);
const scenario: Scenario = {
  ...spring,
  stepAt: (at, minutes) => {
    const step = spring.stepAt(at, minutes);
    return { ...step, pvKw: (step.pvKw * PEAK_KW) / 6 };
  },
};
const files = mkdtempSync(join(tmpdir(), "hourgate-e2e-"));
writeFileSync(join(files, "prices.csv"), pricesCsv(scenario));
writeFileSync(join(files, "weather.csv"), weatherCsv(scenario));
const box = sandbox(settings());
afterAll(() => {
  box.remove();
  rmSync(files, { recursive: true, force: true });
});

/** The settings of the demonstration, with an inverter that can block, and without devices. */
function settings() {
  const { data_dir: _, ...demo } = demoSettings(scenario, {
    folder: files,
    speed: SPEED,
    httpPort: 0,
    mqttPort: 0,
    key: TEST_KEY,
    password: "correct-horse-battery",
  });
  const [plant] = demo.plants;
  const battery = { ...plant!.battery, controls: CONTROLS };
  const pv = plant!.pv.map((array) => ({ ...array, peak_kw: PEAK_KW }));
  return { ...demo, log: { level: "trace" }, plants: [{ ...plant, slots: [], pv, battery }] };
}

/** What `planPolicy` of the library answers on the recorded inputs. */
function libraryCommand({ input, loadModel }: Decision, previous: Command | undefined): Command {
  const steps = input.prices.map(({ start, end, ...price }) => ({
    start: new Date(start),
    end: new Date(end),
    ...price,
  }));
  const start = hourOf(steps[0]!.start);
  const hourAt = (at: Date) => Math.floor((at.getTime() - start.getTime()) / HOUR_MS);
  const load = forecastLoad(loadModel!, { start, hours: hourAt(steps.at(-1)!.start) + 1 });
  const now = new Date(input.now);
  const oneWay = Math.sqrt(0.9);
  return planPolicy({
    now,
    steps: steps.map((step, t) => ({
      start: step.start,
      minutes: 60 * hoursOf(step),
      importCtKwh: step.importCtKwh,
      exportCtKwh: step.exportCtKwh,
      loadKwh: load.loadKwh[hourAt(step.start)]! * hoursOf(step),
      pvKwh: input.pvKwh[t]!,
      published: step.source === "day_ahead",
    })),
    ratios: steps.map((step) => load.ratios[hourAt(step.start)]!),
    shares: load.shares,
    // The week has sun on each day.
    persistence: load.persistence,
    pv: { factors: [0.65, 1, 1.3], shares: [1 / 3, 1 / 3, 1 / 3], persistence: 0.92 },
    battery: {
      capacityKwh: CAPACITY_KWH,
      minSocKwh: 1,
      maxSocKwh: CAPACITY_KWH,
      maxChargePowerKw: POWER_KW,
      maxDischargePowerKw: POWER_KW,
      chargeEfficiency: oneWay,
      dischargeEfficiency: oneWay,
    },
    controls: [...CONTROLS],
    grid: { curtailmentAllowed: false },
  }).act({
    now,
    socKwh: (CAPACITY_KWH * input.soc.pct) / 100,
    ...(input.netLoadKw !== undefined && { netLoadKw: input.netLoadKw }),
    ...(input.pvKw !== undefined && { pvKw: input.pvKw }),
    ...(previous !== undefined && { previous }),
  });
}

/** The outputs that carry a command out. */
const COMMANDED = {
  O1: ({ mode }: Command) => Number(mode === "charge"),
  O2: ({ chargePowerKw }: Command) => chargePowerKw,
  O12: ({ mode, dischargeCapKw }: Command) => (mode === "charge" ? POWER_KW : dischargeCapKw),
  O14: ({ chargeCapKw }: Command) => chargeCapKw,
};

/** Whether a home has the commands of the outputs; it would lag behind on a busy machine otherwise. */
const hasArrived = (commands: HomeCommands, decided: Command | undefined) =>
  decided !== undefined &&
  Number(commands.chargeNow) === COMMANDED.O1(decided) &&
  commands.chargePowerKw === COMMANDED.O2(decided) &&
  commands.dischargeCapKw === COMMANDED.O12(decided) &&
  commands.chargeCapKw === COMMANDED.O14(decided);

/** The decisions in the gateway's log; each line is read once. */
class DecisionLog {
  readonly decisions: Decision[] = [];
  isLoadLearned = false;
  readonly #gateway: GatewayProcess;
  #read = 0;

  constructor(gateway: GatewayProcess) {
    this.#gateway = gateway;
  }

  update(): this {
    const output = this.#gateway.output();
    const end = output.lastIndexOf("\n") + 1;
    for (const line of output.slice(this.#read, end).split("\n")) {
      if (line.includes('"A command was decided."')) this.decisions.push(JSON.parse(line) as Decision);
      this.isLoadLearned ||= line.includes("The load model was learned");
    }
    this.#read = end;
    return this;
  }

  hasQuarter(ms: number): boolean {
    const last = this.update().decisions.at(-1);
    return last !== undefined && quarterOf(Date.parse(last.input.now)) === quarterOf(ms);
  }
}

const quarterOf = (ms: number) => Math.floor(ms / QUARTER_MS);
/** Without repetitions. */
const changes = (values: readonly number[]) => values.filter((value, k) => value !== values[k - 1]);

describe("the gateway and the library on the same data", () => {
  it("give the same commands, and MQTT carries them", { timeout: 240_000 }, async () => {
    const run = new DemoRun(scenario, SEED, false);
    const history = run.history();
    const gateway = await startGateway(box.config, {}, undefined, true);
    onTestFinished(async () => void (await gateway.end("SIGKILL")));
    const url = `mqtt://127.0.0.1:${gateway.mqttPort}`;
    const published = Object.fromEntries(Object.keys(COMMANDED).map((name) => [name, [] as number[]]));
    const watcher = connect(url, { username: "watcher", password: TEST_KEY });
    watcher.on("message", (topic, payload) => {
      if (payload.length > 0) published[topic.split("/").at(-1)!]!.push(Number(payload));
    });
    const link = new MqttHome({ url, username: "home", password: TEST_KEY, root: "hourgate/home" });
    const log = new DecisionLog(gateway);
    const days: DayResult[] = [];
    let atMs = scenario.start.getTime();
    const moveOn = async (minutes: number, isDone: () => boolean) => {
      atMs += minutes * MINUTE_MS;
      // A millisecond more, so that rounding does not leave the clock before the quarter-hour.
      gateway.stepTo((atMs - scenario.start.getTime() + 1) / SPEED);
      // Hundreds of times: what is asked costs nothing.
      await vi.waitUntil(isDone, { timeout: 60_000, interval: 5 });
    };
    try {
      await watcher.subscribeAsync(
        Object.keys(COMMANDED).map((name) => `hourgate/home/outputs/${name}`),
        { qos: 1 },
      );
      for (let from = 0; from < history.length; from += 1000) {
        const samples = history.slice(from, from + 1000);
        expect((await call(gateway, "/v1/plant/telemetry", { body: { samples } })).status).toBe(200);
      }
      await link.start();
      await moveOn(1, () => log.update().isLoadLearned);
      await run.follow({
        link,
        until: new Date(scenario.start.getTime() + DAYS * DAY_MS),
        reportMinutes: REPORT_MINUTES,
        now: () => new Date(atMs),
        pause: async () => {
          await link.answered();
          await moveOn(
            REPORT_MINUTES - ((atMs / MINUTE_MS) % REPORT_MINUTES),
            () => log.hasQuarter(atMs) && hasArrived(link.commands, log.decisions.at(-1)?.command),
          );
          return true;
        },
        onDay: (day) => days.push(day),
      });
      expect(link.refused).toBe(0);
      await gateway.end("SIGTERM");
      const store = await openStore(join(box.folder, "data"), silentLog);
      const series = PriceSeries.of(await store.prices.load());
      const clock = manualClock(new Date(atMs + 2 * HOUR_MS));
      const ledger = new Ledger({ ...store, clock, series: () => series });
      const parsed = parsePlant(settings().plants[0]!, []);
      if ("findings" in parsed) throw new Error(JSON.stringify(parsed.findings));
      const site = { id: "home", accountId: "owner", plant: parsed.plant };
      const [from, to] = [days.length - 1, 0].map((back) =>
        localDate(new Date(atMs - back * 24 * HOUR_MS - HOUR_MS), site.plant.timezone),
      );
      await ledger.days(site, from!, to!);
      const months = await ledger.months(site);
      expect(months).toMatchObject([{ month: "2026-05", days: DAYS, daysWithoutTelemetry: 0 }]);
      // What the home saved against its uncontrolled twin, with the energy that it has left at 5 to 20 ct.
      const saved = days.reduce((sum, day) => sum + (day.uncontrolledCt - day.controlledCt) / 100, 0);
      const leftKwh = (days.at(-1)!.socPct / 100) * CAPACITY_KWH - 1;
      expect(months[0]!.achievedEur).toBeGreaterThan(saved + 0.05 * leftKwh);
      expect(months[0]!.achievedEur).toBeLessThan(saved + 0.2 * leftKwh);
      await store.close();

      const { decisions } = log.update();
      const first = decisions.findIndex(({ loadModel }) => loadModel !== undefined);
      const known = decisions.slice(first);
      let previous = decisions[first - 1]?.command;
      const expected = known.map((decision) => {
        previous = libraryCommand(decision, previous);
        return previous;
      });
      expect(known.map(({ command }) => command)).toEqual(expected);
      const quarters = new Set(known.map(({ input }) => quarterOf(Date.parse(input.now))));
      expect(quarters.size).toBeGreaterThanOrEqual(96 * DAYS);
      const modes = [...new Set(expected.map(({ mode }) => mode))].sort();
      expect(modes).toEqual(expect.arrayContaining(DAYS > 1 ? ["charge", "free", "hold"] : ["free"]));
      expect(modes.length).toBeGreaterThan(1);
      const commands = [...decisions.slice(0, first).map(({ command }) => command), ...expected];
      for (const [name, outputOf] of Object.entries(COMMANDED))
        expect(changes(published[name]!), name).toEqual(changes(commands.map(outputOf)));
    } finally {
      await link.stop();
      await watcher.endAsync(true);
    }
  });
});
