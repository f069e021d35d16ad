import { expect, it } from "vitest";
import { silentLog } from "../../src/log.js";
import { Running } from "../../src/wiring/running.js";

it("stops in reverse order, edges concurrently, and continues after a failing part", async () => {
  const told: string[] = [];
  const errors: unknown[] = [];
  const running = new Running({ ...silentLog, error: (fields) => errors.push(fields) });
  const ends: (() => void)[] = [];
  const part = (name: string) => ({
    start: async () => {
      told.push(`${name} starts`);
    },
    stop: () => {
      told.push(`${name} stops`);
      return new Promise<void>((resolve) => ends.push(resolve));
    },
  });
  await running.begin(part("store"));
  await running.begin(part("plans"));
  running.add(part("http"));
  running.addBeside(part("mqtt"));
  running.addBeside({ stop: () => Promise.reject(new Error("stuck")) });
  told.length = 0;

  const settled = async () => {
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  };
  const stopping = running.stop();
  await settled();
  // Neither edge waits for the other, and what they stand on waits for both.
  expect(told).toEqual(["http stops", "mqtt stops"]);
  ends.shift()?.();
  await settled();
  expect(told).toHaveLength(2);
  ends.shift()?.();
  await settled();
  expect(told.slice(2)).toEqual(["plans stops"]);
  ends.shift()?.();
  await settled();
  expect(told.slice(3)).toEqual(["store stops"]);
  ends.shift()?.();
  await stopping;
  expect(errors).toMatchObject([{ err: { message: "stuck" } }]);
  // A second stop has nothing left to do.
  await running.stop();
  expect(told).toHaveLength(4);
});
