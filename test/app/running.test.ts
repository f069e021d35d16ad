import { expect, it } from "vitest";
import { Running } from "../../src/app/running.js";
import { silentLog } from "../../src/core/log.js";

it("stops in reverse order, edges concurrently, and continues after a failing part", async () => {
  const calls: string[] = [];
  const errors: unknown[] = [];
  const running = new Running({ ...silentLog, error: (fields) => errors.push(fields) });
  const ends: (() => void)[] = [];
  const part = (name: string) => ({
    start: async () => {
      calls.push(`${name} starts`);
    },
    stop: () => {
      calls.push(`${name} stops`);
      return new Promise<void>((resolve) => ends.push(resolve));
    },
  });
  await running.begin(part("store"));
  await running.begin(part("plans"));
  running.add(part("http"));
  running.addBeside(part("mqtt"));
  running.addBeside({ stop: () => Promise.reject(new Error("stuck")) });
  calls.length = 0;

  const settled = async () => {
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  };
  const stopping = running.stop();
  await settled();
  // The edges stop concurrently; the parts they depend on wait for both.
  expect(calls).toEqual(["http stops", "mqtt stops"]);
  ends.shift()?.();
  await settled();
  expect(calls).toHaveLength(2);
  ends.shift()?.();
  await settled();
  expect(calls.slice(2)).toEqual(["plans stops"]);
  ends.shift()?.();
  await settled();
  expect(calls.slice(3)).toEqual(["store stops"]);
  ends.shift()?.();
  await stopping;
  expect(errors).toMatchObject([{ err: { message: "stuck" } }]);
  // A second stop does nothing.
  await running.stop();
  expect(calls).toHaveLength(4);
});
