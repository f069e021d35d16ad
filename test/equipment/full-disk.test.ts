import { expect, it } from "vitest";
import { StoreError } from "../../src/store/errors.js";
import { manualClock } from "../support/manual-clock.js";
import { bench } from "./harness.js";

const MINUTE = 60_000;

/** A relay of zigbee2mqtt that reports each command at once, with a disk that can be full. */
async function relay(stored?: unknown) {
  const clock = manualClock(new Date("2026-03-02T08:00:00Z"));
  const disk = { isFull: false, ledger: undefined as unknown };
  const sent: string[] = [];
  let state = "OFF";
  let changed = () => {};
  const one = await bench({
    clock,
    template: "zigbee2mqtt",
    with: { topic: "zigbee2mqtt/boiler" },
    stored,
    transport: {
      read: async ({ pointer }) => (pointer === "/state" ? { value: state, isNew: true } : undefined),
      onChange: (listener) => {
        changed = listener;
      },
      send: async ({ topic, payload }) => {
        if (!topic!.endsWith("/set")) return;
        state = (JSON.parse(payload!) as { state: string }).state;
        sent.push(state);
        changed();
      },
    },
    changes: {
      save: async (ledger) => {
        if (disk.isFull) throw new StoreError("storage_unavailable", "The disk is full; free some space.");
        disk.ledger = JSON.parse(JSON.stringify({ version: 1, ...ledger }));
      },
    },
  });
  await one.actuator.start();
  return { one, disk, sent };
}

it("a full disk stops no command; the ledger is stored when there is space again", async () => {
  const { one, disk, sent } = await relay();
  one.want("off");
  await one.pass(MINUTE);
  disk.isFull = true;
  one.want("on");
  await one.reaches("confirmed");
  expect(sent).toEqual(["ON"]);
  expect(disk.ledger).not.toMatchObject({ owned: { state: "on" } });
  disk.isFull = false;
  await one.pass(2 * MINUTE);
  expect(disk.ledger).toMatchObject({ owned: { state: "on", isConfirmed: true } });
  disk.isFull = true;
  // A switch acts at once, and its sender learns that it is not stored.
  await expect(one.actuator.setEnabled(false)).rejects.toThrow("The disk is full");
  await one.pass(1_000);
  expect(sent).toEqual(["ON", "OFF"]);
  await one.actuator.stop();
});

it("the log of the commands survives a restart", async () => {
  const { one, disk } = await relay();
  one.want("on");
  await one.reaches("confirmed");
  await one.actuator.stop();
  const before = one.actuator.entries();
  expect(before.map(({ event }) => event)).toContain("confirmed");
  const again = await relay(disk.ledger);
  expect(again.one.actuator.entries().slice(0, before.length)).toEqual(before);
  await again.one.actuator.stop();
});
