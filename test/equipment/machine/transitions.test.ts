import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  type Context,
  type DeviceEvent,
  type DeviceRules,
  type Effect,
  type Look,
  type MachineState,
  type Stand,
  stateOfLedger,
  type Target,
} from "../../../src/equipment/machine/device-state.js";
import { phaseOf } from "../../../src/equipment/machine/phase.js";
import { step } from "../../../src/equipment/machine/step.js";
import { wantedState } from "../../../src/equipment/wanted.js";
import { deviceRules } from "./simulation.js";

const T0 = 1_000_000;
const RULES = deviceRules("evcc");
const OWNED = { state: "hold", powerKw: 0, socStopPct: 100, at: new Date(T0), isConfirmed: true };
const HOLD = wantedState("hold");
const seen = (more: Partial<Look> = {}): Look => ({
  link: "up",
  verdict: "match",
  isNew: true,
  isAlive: true,
  hasRestarted: false,
  isApplied: undefined,
  isDeclined: false,
  lockedTo: undefined,
  shown: undefined,
  open: "",
  fault: undefined,
  ...more,
});
const reading = (more?: Partial<Look>): DeviceEvent => ({ kind: "reading", reading: seen(more) });
const target = (state: "free" | "hold" | "charge", isTest = false): DeviceEvent => ({
  kind: "target",
  target: { kind: "state", wanted: wantedState(state), isTest },
});
const EXIT: Target = { kind: "exit", because: "released" };

/** Runs events at their times in seconds; the last state with all stands on the way. */
function walk(
  start: Partial<MachineState>,
  events: readonly (readonly [number, DeviceEvent])[],
  rules: DeviceRules = RULES,
) {
  let state: MachineState = {
    ...stateOfLedger({ owned: null, externalUntilMs: null, writes: { day: "d", count: 0 } }, T0),
    ...start,
  };
  const stands: Stand["kind"][] = [state.stand.kind];
  const effects: Effect[] = [];
  for (const [seconds, event] of events) {
    const context: Context = { nowMs: T0 + seconds * 1000, day: "d", leftOfDayMs: 3_600_000, jitter: 0.5 };
    const result = step(state, event, context, rules);
    state = result.state;
    effects.push(...result.effects);
    if (stands.at(-1) !== state.stand.kind) stands.push(state.stand.kind);
  }
  return { state, stands, effects };
}

const held: Partial<MachineState> = {
  owned: OWNED,
  stand: { kind: "holding" },
  target: { kind: "state", wanted: HOLD, isTest: false },
  isKnown: true,
  doubt: "none",
  evidence: "confirmed",
  acceptedAtMs: [T0],
  repeatAtMs: T0 + 24_000,
};
const sending: Stand = {
  kind: "sending",
  command: { state: "hold", powerKw: 0, socStopPct: 100 },
  attempt: 1,
  isRepetition: false,
  isCancelled: false,
};
const command = sending.command;
const refused: DeviceEvent = { kind: "refused", fault: "no_broker", message: "gone", isReceived: false };
const cancelled: DeviceEvent = { kind: "refused", fault: "cancelled", message: "", isReceived: true };
const time: DeviceEvent = { kind: "time" };
const unconfirmed = { ...OWNED, isConfirmed: false };
const wantsHold: Target = { kind: "state", wanted: HOLD, isTest: false };
const checking: Stand = { kind: "checking", command, attempt: 1, isRepetition: false, untilMs: T0 + 10_000 };

type Walk = [
  arrow: string,
  start: Partial<MachineState>,
  events: readonly (readonly [number, DeviceEvent])[],
  rules?: Partial<DeviceRules>,
];
const WALKS: readonly Walk[] = [
  [
    "resting --> sending",
    { target: EXIT, isKnown: true },
    [
      [0, reading({ verdict: "match" })],
      [1, target("hold")],
    ],
  ],
  ["sending --> checking", { ...held, stand: sending, owned: unconfirmed }, [[0, { kind: "accepted" }]]],
  [
    "sending --> holding",
    { ...held, stand: sending, owned: unconfirmed },
    [[0, { kind: "accepted" }]],
    { isChecked: () => false },
  ],
  ["sending --> pausing", { ...held, stand: sending, owned: unconfirmed }, [[0, refused]]],
  [
    "sending --> resting",
    {
      ...held,
      stand: { ...sending, command: { ...command, state: "exit" }, isCancelled: true },
      owned: null,
      target: { kind: "state", wanted: wantedState("free"), isTest: false },
    },
    [[0, cancelled]],
  ],
  [
    "sending --> holding",
    {
      ...held,
      stand: { ...sending, isCancelled: true },
      owned: unconfirmed,
      reading: seen({ link: "away", verdict: "unknown" }),
    },
    [[0, cancelled]],
  ],
  ["checking --> holding", { ...held, stand: checking, owned: unconfirmed }, [[1, reading()]]],
  [
    "checking --> resting",
    { ...held, stand: { ...checking, command: { ...command, state: "exit" } }, target: EXIT },
    [[1, reading()]],
  ],
  ["checking --> pausing", { ...held, stand: checking, owned: unconfirmed }, [[11, time]]],
  ["checking --> sending", { ...held, stand: checking, owned: unconfirmed }, [[1, target("charge")]]],
  [
    "checking --> holding",
    { ...held, stand: checking, owned: unconfirmed },
    [[1, reading({ link: "away", verdict: "unknown" })]],
  ],
  [
    "pausing --> sending",
    { ...held, stand: { ...checking, kind: "pausing", untilMs: T0 + 2_000 }, owned: unconfirmed },
    [[3, time]],
  ],
  [
    "pausing --> failed",
    { ...held, stand: { ...checking, kind: "pausing", attempt: 2, untilMs: T0 + 2_000 }, owned: unconfirmed },
    [
      [3, time],
      [4, refused],
    ],
  ],
  [
    "failed --> sending",
    { ...held, stand: { kind: "failed", key: "hold", untilMs: T0 + 9_000 }, owned: unconfirmed },
    [[10, time]],
  ],
  ["holding --> sending", held, [[1, target("charge")]]],
  [
    "holding --> sending",
    held,
    [
      [24, time],
      [24, reading()],
    ],
  ],
  ["holding --> sending", { ...held, doubt: "device" }, [[1, reading({ verdict: "rest" })]]],
  ["holding --> doubting", held, [[1, reading({ verdict: "other" })]]],
  ["doubting --> holding", { ...held, stand: { kind: "doubting", sinceMs: T0 } }, [[1, reading()]]],
  [
    "doubting --> external",
    { ...held, stand: { kind: "doubting", sinceMs: T0 } },
    [[6, reading({ verdict: "other" })]],
  ],
  [
    "external --> resting",
    {
      owned: null,
      target: EXIT,
      stand: { kind: "external", untilMs: T0 + 5_000 },
      externalUntilMs: T0 + 5_000,
    },
    [[6, time]],
  ],
  [
    "holding --> resting",
    { ...held, owned: { ...OWNED, state: "free" } },
    [[1, { kind: "target", target: EXIT }]],
  ],
];

/** The arrows of the drawing, without their labels. */
function drawn(): string[] {
  const text = readFileSync(new URL("../../../src/equipment/state-machine.md", import.meta.url), "utf8");
  return [...text.matchAll(/^ {2}(\w+ --> \w+):/gm)].map((match) => match[1]!);
}

describe("the machine of a device", () => {
  it.each(WALKS)("%s", (arrow, start, events, rules) => {
    const { stands } = walk(start, events, { ...RULES, ...rules });
    const arrows = stands.slice(1).map((stand, index) => `${stands[index]} --> ${stand}`);
    // The way may lead over a stand that lasts no time.
    const [from, to] = arrow.split(" --> ");
    expect([stands[0] === from || arrows.includes(arrow), stands.at(-1)]).toEqual([true, to]);
  });

  it("walks every arrow of its drawing, and no other", () => {
    expect([...new Set(WALKS.map(([arrow]) => arrow))].sort()).toEqual([...new Set(drawn())].sort());
  });

  it("starts as the ledger says, and takes its command as due at once", () => {
    const ledger = { externalUntilMs: null, writes: { day: "d", count: 1 } };
    expect(stateOfLedger({ ...ledger, owned: null }, T0).stand.kind).toBe("resting");
    const { effects, state } = walk(stateOfLedger({ ...ledger, owned: OWNED }, T0), [[0, reading()]]);
    // The lease that has run meanwhile is renewed; it is no new command.
    expect(effects.map(({ kind }) => kind)).toEqual(["send"]);
    expect(state.writes.count).toBe(1);
    const external = stateOfLedger({ ...ledger, owned: null, externalUntilMs: T0 + 1 }, T0);
    expect(external.stand.kind).toBe("external");
    expect(stateOfLedger({ ...ledger, owned: null, externalUntilMs: T0 - 1 }, T0).stand.kind).toBe("resting");
  });

  it.each([
    ["an empty topic", reading({ verdict: "unknown" })],
    ["a device that is away", reading({ link: "away", verdict: "unknown" })],
    ["a device that does not answer", reading({ link: "silent", verdict: "unknown" })],
  ])("takes %s neither for free nor for somebody else", (_, event) => {
    const { state } = walk(held, [
      [1, event],
      [30, event],
      [90, event],
    ]);
    expect(state.stand.kind).not.toMatch(/external|doubting/);
    expect(state.owned?.state).toBe("hold");
  });

  it("commands a device that has not published its state, if there is another sign of life", () => {
    const unknown = reading({ verdict: "unknown", isAlive: true });
    expect(
      walk({ target: EXIT }, [
        [0, unknown],
        [1, target("hold")],
      ]).stands.at(-1),
    ).toBe("sending");
    const silent = walk({ target: EXIT }, [
      [0, reading({ verdict: "unknown", isAlive: false, open: "nothing on x" })],
      [1, target("hold")],
    ]);
    expect([silent.stands.at(-1), phaseOf(silent.state, RULES)]).toEqual(["resting", "waiting"]);
    const later = walk(silent.state, [[31, time]]);
    expect(later.state.error).toMatchObject({ fault: "no_reading", message: "nothing on x" });
  });

  it("sends to a device that has started once it listens, and leaves it to itself by what it needs then", () => {
    const { effects } = walk(held, [
      [1, reading({ link: "away", verdict: "unknown" })],
      [2, { kind: "target", target: EXIT }],
      [5, reading({ link: "starting", verdict: "unknown", hasRestarted: true })],
      [8, reading({ verdict: "unknown" })],
    ]);
    expect(effects.filter(({ kind }) => kind === "send")).toEqual([
      { kind: "send", command: { ...command, state: "exit" }, isRepetition: false, isAfterRestart: true },
    ]);
  });

  it.each([
    ["a lease that can have ended", { acceptedAtMs: [T0 - 59_000] }, "sending"],
    ["a lease that runs", { acceptedAtMs: [T0 - 20_000], repeatAtMs: T0 + 20_000 }, "doubting"],
    ["a start of the gateway", { doubt: "gateway" as const }, "sending"],
  ])("after %s a resting device is %s", (_, more, stand) => {
    expect(walk({ ...held, ...more }, [[1, reading({ verdict: "rest" })]]).stands.at(-1)).toBe(stand);
  });

  const dwelling = { ...held, changedAtMs: T0, writes: { day: "d", count: 1 } };
  const slow = { ...RULES, minDwellMs: 300_000, maxWritesPerDay: 40 };
  it("waits for the shortest time between two changes, and says until when", () => {
    const { state } = walk(
      dwelling,
      [
        [1, reading()],
        [2, target("charge")],
      ],
      slow,
    );
    expect([state.stand.kind, state.wait]).toEqual(["holding", { for: "dwell", untilMs: T0 + 300_000 }]);
  });

  it.each([
    [
      "a command by hand",
      { kind: "state", wanted: wantedState("charge", { isByHand: true }), isTest: false },
    ],
    [
      "a protecting limit",
      { kind: "state", wanted: wantedState("charge", { isUrgent: true }), isTest: false },
    ],
    ["a test", { kind: "state", wanted: wantedState("charge"), isTest: true }],
    ["an exit", EXIT],
    ["the return to its own control", { kind: "state", wanted: wantedState("free"), isTest: false }],
  ] satisfies [string, Target][])("%s does not wait", (_, next) => {
    expect(
      walk(
        dwelling,
        [
          [1, reading()],
          [2, { kind: "target", target: next }],
        ],
        slow,
      ).stands.at(-1),
    ).toBe("sending");
  });

  it("ends a run whatever the commands of the day say, and begins none that it could not end", () => {
    const used = { ...held, writes: { day: "d", count: 40 }, changedAtMs: T0 - 3_600_000 };
    const ended = walk(
      used,
      [
        [1, reading()],
        [2, target("free")],
      ],
      slow,
    );
    expect(ended.stands.at(-1)).toBe("sending");
    // Another run is not begun; the one that the plan has ended is.
    const changed = walk(
      used,
      [
        [1, reading()],
        [2, target("charge")],
      ],
      slow,
    );
    expect(changed.effects.find(({ kind }) => kind === "send")).toMatchObject({ command: { state: "free" } });
    expect(changed.state.error?.fault).toBe("budget");
  });

  /** Seconds after the last change at which the next one is sent; undefined: not within a day. */
  function waits(next: "free" | "charge", count: number, rules: DeviceRules): number | undefined {
    const used = { ...held, writes: { day: "d", count }, changedAtMs: T0 };
    const seconds = Array.from({ length: 25 }, (_, minute) => minute * 60);
    return seconds.find((second) =>
      walk(
        { ...used, repeatAtMs: Infinity },
        [
          [second, reading()],
          [second, target(next)],
        ],
        rules,
      ).effects.some((effect) => effect.kind === "send" && effect.command.state === next),
    );
  }

  it("makes each run for which the plan has counted the commands, after the shortest time only", () => {
    const rules = { ...slow, minDwellMs: 120_000, maxWritesPerDay: 20, isBudgetPlanned: true };
    for (const count of [0, 10, 14, 16, 18]) expect(waits("charge", count, rules)).toBe(120);
    // A run needs the command that ends it.
    expect(waits("charge", 19, rules)).toBeUndefined();
    for (const count of [19, 20, 25]) expect(waits("free", count, rules)).toBe(0);
  });

  it("does not hold back what a battery does on a day of twelve changes", () => {
    for (const maxWritesPerDay of [24, 40, 100])
      for (let count = 0; count < 12; count++)
        expect(waits("charge", count, { ...slow, minDwellMs: 300_000, maxWritesPerDay })).toBe(300);
    // An hour of the day is left: the last twenty of 40 commands last for it.
    expect(waits("charge", 28, { ...slow, minDwellMs: 300_000, maxWritesPerDay: 40 })).toBe(360);
  });

  it("says accepted, not confirmed, of a device that does not show its state", () => {
    const rules = { ...RULES, hasReading: false, isChecked: () => false };
    const { state } = walk(
      { ...held, stand: sending, owned: unconfirmed },
      [[0, { kind: "accepted" }]],
      rules,
    );
    expect([phaseOf(state, rules), state.evidence]).toEqual(["accepted", "accepted"]);
    const late = walk(held, [[1, reading({ isApplied: false })]]);
    expect(phaseOf(late.state, RULES)).toBe("accepted");
  });

  it("does not call a command failed whose value, published on a change only, was lost with the broker", () => {
    const lost = reading({ verdict: "unknown", isNew: false });
    const last = { ...checking, attempt: 3 };
    const start = { ...held, stand: last, owned: unconfirmed, doubt: "device", backAtMs: T0 } as const;
    const events = [
      [1, lost],
      [11, lost],
      [20, lost],
    ] as const;
    const { state, effects } = walk({ ...start, hasShown: true }, events);
    expect([phaseOf(state, RULES), state.error]).toEqual(["accepted", null]);
    expect(effects.filter(({ kind }) => kind === "send")).toEqual([]);
    // A device that is back may not have listened yet.
    const first = walk({ ...start, stand: checking, hasShown: true }, [[11, lost]]);
    expect([first.stands, first.state.error]).toEqual([["checking", "pausing"], null]);
    // One that has never shown anything may be another one than the template's.
    expect(walk(start, events).state.error?.fault).toBe("not_confirmed");
  });

  it("takes one impossible value between two right ones for nobody's command, and sends none", () => {
    const wrong = reading({ verdict: "other", shown: undefined, open: "power is 65535, expected 0" });
    const { state, stands, effects } = walk(held, [
      [1, reading()],
      [2, wrong],
      [2 + RULES.settleMs / 1000, reading()],
    ]);
    expect(stands).toEqual(["holding", "doubting", "holding"]);
    expect(effects.filter(({ kind }) => kind === "send" || kind === "note")).toEqual([]);
    expect(phaseOf(state, RULES)).toBe("confirmed");
  });

  it("forgets the time of somebody else when it is taken over", () => {
    const external = {
      owned: null,
      target: wantsHold,
      isKnown: true,
      stand: { kind: "external", untilMs: T0 + 900_000 } as const,
      externalUntilMs: T0 + 900_000,
    };
    const { stands } = walk(external, [
      [1, reading()],
      [2, { kind: "taken_over" }],
    ]);
    expect(stands.at(-1)).toBe("sending");
    expect(
      walk(external, [
        [1, reading()],
        [2, target("hold", true)],
      ]).stands.at(-1),
    ).toBe("sending");
  });
});
