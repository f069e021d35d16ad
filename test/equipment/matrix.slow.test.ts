import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { TemplateLibrary } from "../../src/equipment/template-library.js";
import { TestBroker } from "../support/devices/test-broker.js";
import { CASES, type MatrixCase } from "./matrix-cases.js";
import { Rig, testClock } from "./rig.js";
import { COMMANDED } from "./simulated/commanded.js";

const PAGE = new URL("./tested.md", import.meta.url);
/** All faults of all templates take minutes: `MATRIX=all npx vitest run test/equipment/matrix.slow.test.ts --update`. */
const isComplete = process.env.MATRIX === "all";
/** Otherwise each template has one fault, another one than its neighbours. */
const FAULTS_EACH = 1;

const rows = new Map<string, Record<string, string>>();

/** Runs a test with a fresh device and actuator. */
async function withRig<Result>(
  one: MatrixCase,
  use: (rig: Rig, broker: TestBroker) => Promise<Result>,
  { hasGarbage = false } = {},
) {
  const clock = testClock();
  const broker = new TestBroker();
  await broker.start();
  const fake = one.device(clock, broker.url);
  if (!one.isMqtt) await fake.start();
  const rig = new Rig({ ...one, parameters: one.parameters(fake, broker.url), clock, fake, broker });
  if (hasGarbage) for (const topic of rig.topics()) await broker.retain(topic, '{"state":"?","value":"?"}');
  if (one.isMqtt) await fake.start();
  try {
    await rig.start();
    return await use(rig, broker);
  } finally {
    fake.repair();
    await rig.stop();
    await fake.stop();
    await broker.stop();
  }
}

type Fault = (rig: Rig, one: MatrixCase) => Promise<string>;

/** Asks for the first state and waits until the device does it; the phase that is then shown. */
async function obeyed(rig: Rig, one: MatrixCase): Promise<string> {
  const [state, powerKw, socStopPct, actual] = one.steps[0]!;
  rig.want(state, powerKw, socStopPct);
  const isDone = await rig.until(() => rig.fake.actual() === actual && rig.status.phase === "confirmed");
  return isDone ? "confirmed" : `${rig.status.phase}, device ${rig.fake.actual()}`;
}

/** The fault that is shown for the first state, and that the device follows once the fault is gone. */
async function recovers(
  rig: Rig,
  one: MatrixCase,
  phase: string,
  isFound = () => rig.status.phase === phase,
) {
  const [state, powerKw, socStopPct] = one.steps[0]!;
  rig.want(state, powerKw, socStopPct);
  if (!(await rig.until(isFound))) return `not noticed: ${rig.status.phase}`;
  const fault = rig.status.lastError?.fault ?? "declined";
  rig.fake.repair();
  const end = await obeyed(rig, one);
  return end === "confirmed" ? fault : end;
}

const FAULTS: Record<string, Fault> = {
  "401": async (rig, one) => {
    rig.fake.faults.status = 401;
    return recovers(rig, one, "failed");
  },
  "403": async (rig, one) => {
    rig.fake.faults.status = 403;
    return recovers(rig, one, "failed");
  },
  "404": async (rig, one) => {
    rig.fake.faults.status = 404;
    return recovers(rig, one, "failed");
  },
  "500": async (rig, one) => {
    rig.fake.faults.status = 500;
    return recovers(rig, one, "failed");
  },
  "no effect": async (rig, one) => {
    rig.fake.faults.inert = true;
    return recovers(rig, one, one.otherwise?.["no effect"] === "declined" ? "declined" : "failed");
  },
  silence: async (rig, one) => {
    rig.fake.faults.silent = true;
    return recovers(rig, one, "", () => rig.status.lastError !== null);
  },
  late: async (rig, one) => {
    rig.fake.faults.lateMs = 2_000;
    return obeyed(rig, one);
  },
  slow: async (rig, one) => {
    rig.fake.faults.slowMs = 4_000;
    return obeyed(rig, one);
  },
  "other hand": async (rig, one) => {
    if ((await obeyed(rig, one)) !== "confirmed") return "not confirmed";
    await rig.fake.byHand();
    await rig.arrive();
    if (!(await rig.until(() => rig.status.phase === "external"))) return `not noticed: ${rig.status.phase}`;
    const { length } = rig.fake.writes;
    await rig.pass(120_000);
    return rig.fake.writes.length === length ? "left alone" : "overwritten";
  },
  "power failure": async (rig, one) => {
    if ((await obeyed(rig, one)) !== "confirmed") return "not confirmed";
    const before = rig.fake.actual();
    await rig.fake.powerFailure(120_000);
    const isLost = rig.fake.actual() !== before;
    await rig.pass(120_000);
    await rig.fake.back;
    await rig.arrive();
    const end = await obeyed(rig, one);
    if (rig.status.phase === "external") return "left alone";
    return end === "confirmed" ? (isLost ? "sent again" : "kept") : end;
  },
  // Retained readings of another time are on the broker when device and gateway start.
  garbage: obeyed,
  "gateway killed": async (rig, one) => {
    if ((await obeyed(rig, one)) !== "confirmed") return "not confirmed";
    const before = rig.fake.actual();
    rig.kill();
    await rig.pass(Math.min(rig.leaseMs, 3_600_000) + 60_000);
    // The broker sends the last will in real time.
    await expect.poll(() => rig.fake.actual()).toBe(one.dead);
    return before === one.dead ? "stays" : "released";
  },
};

/** The outcome that the specification requires. */
function required(fault: string, one: MatrixCase): string | RegExp {
  const usual: Record<string, string | RegExp> = {
    "401": "unauthorized",
    "403": "unauthorized",
    "404": "not_found",
    "500": "device_error",
    "no effect": /^(not_confirmed|unexpected_answer)$/,
    silence: one.isMqtt ? "not_confirmed" : "timeout",
    late: "confirmed",
    slow: "confirmed",
    "other hand": "left alone",
    "power failure": /^(sent again|kept)$/,
    garbage: "confirmed",
    "gateway killed": /^(stays|released)$/,
  };
  return one.otherwise?.[fault] ?? usual[fault]!;
}

/** The faults that can happen to a device of this kind. */
const faultsOf = ({ isMqtt }: MatrixCase) =>
  Object.keys(FAULTS).filter((fault) => (isMqtt ? !/^\d/.test(fault) : fault !== "garbage"));

/** The cells of the page by template and fault. */
function tested(): Map<string, string> {
  const lines = readFileSync(PAGE, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| "));
  const [head = [], ...body] = lines.map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return new Map(
    body.flatMap(([names = "", ...cells]) =>
      names
        .split("; ")
        .flatMap((name) => cells.map((cell, at) => [`${name} ${head[at + 1]}`, cell] as const)),
    ),
  );
}

describe.each(CASES.map((one, index) => ({ ...one, index })))("$name", ({ index, ...one }) => {
  it("follows each state and the exit", () =>
    withRig(one, async (rig, broker) => {
      for (const [state, powerKw, socStopPct, actual] of one.steps) {
        rig.want(state, powerKw, socStopPct);
        const isDone = () =>
          rig.fake.actual() === actual && /^(confirmed|accepted|idle)$/.test(rig.status.phase);
        await rig.until(isDone);
        expect([rig.fake.actual(), rig.status.phase]).toEqual([
          actual,
          expect.stringMatching(/^(confirmed|accepted|idle)$/),
        ]);
      }
      rig.want(undefined);
      await rig.until(() => rig.status.phase === "released" && rig.fake.actual() === one.exit);
      expect([rig.fake.actual(), rig.status.phase]).toEqual([one.exit, "released"]);
      const sent = broker.published.filter(({ client }) => client.startsWith("hourgate"));
      expect(sent.length > 0).toBe(one.isMqtt);
      expect(sent.filter(({ qos, retain }) => retain || qos !== 1)).toEqual([]);
    }));

  it("recovers from faults", async () => {
    const all = faultsOf(one);
    const some = isComplete
      ? all
      : [...Array(FAULTS_EACH).keys()].map((at) => all[(index * FAULTS_EACH + at) % all.length]!);
    // Each has a device, a broker and a clock of its own.
    const outcomes = some.map(async (fault) => {
      const outcome = await withRig(one, (rig) => FAULTS[fault]!(rig, one), {
        hasGarbage: fault === "garbage",
      });
      return [fault, outcome] as const;
    });
    const row = Object.fromEntries(await Promise.all(outcomes));
    rows.set(one.name, row);
    for (const [fault, outcome] of Object.entries(row)) {
      expect.soft(outcome, fault).toEqual(expect.stringMatching(required(fault, one)));
      if (!isComplete)
        expect.soft(outcome, `${fault} in ${PAGE.pathname}`).toBe(tested().get(`${one.name} ${fault}`));
    }
  });
});

describe("the table of the faults", () => {
  it("has every template and every fault", () => {
    if (isComplete) writeFileSync(PAGE, pageOf(rows));
    const cells = tested();
    for (const one of CASES)
      for (const fault of Object.keys(FAULTS))
        expect(cells.get(`${one.name} ${fault}`), `${one.name} ${fault}`).toMatch(
          faultsOf(one).includes(fault) ? /./ : /^$/,
        );
  });

  // Those of batteries over Modbus are in battery-commands.
  it("has a case for every shipped template that takes commands but the generic ones", async () => {
    const library = await TemplateLibrary.open();
    const commanded = library.all().filter(({ controls }) => controls.length > 0);
    const cases = new Set([...CASES, ...COMMANDED].map(({ template }) => template));
    expect(commanded.map(({ id }) => id).filter((id) => !cases.has(id))).toEqual(["http", "mqtt"]);
  });
});

function pageOf(outcomes: ReadonlyMap<string, Record<string, string>>): string {
  const text = readFileSync(PAGE, "utf8");
  const faults = Object.keys(FAULTS);
  // Templates with the same outcomes share a row.
  const names = new Map<string, string[]>();
  for (const [name, row] of outcomes) {
    const cells = faults.map((fault) => row[fault] ?? "").join(" | ");
    names.set(cells, [...(names.get(cells) ?? []), name]);
  }
  const table = [
    `| template | ${faults.join(" | ")} |`,
    `|---|${faults.map(() => "---|").join("")}`,
    ...[...names].map(([cells, same]) => `| ${same.join("; ")} | ${cells} |`),
  ];
  const first = text.indexOf("| template");
  const end = text.indexOf("\n\n", first);
  return text.slice(0, first) + table.join("\n") + (end < 0 ? "\n" : text.slice(end));
}
