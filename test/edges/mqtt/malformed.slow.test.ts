import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCharacter } from "../../support/any-character.js";
import { runs } from "../../support/runs.js";
import { KEYS, limits, withGateway } from "./harness.js";

const COUNT = runs(10_000);
/** Publishes per batch. */
const BURST = Math.min(COUNT, 500);

/** With the default rate 10,000 messages would take 50 seconds. */
const UNTHROTTLED = { total: 1_000_000, per_sign_in: 1_000_000 };

/** Payloads without a valid reading, slot request or request body. */
const malformed = fc.oneof(
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.concat([Buffer.from([0xff]), Buffer.from(bytes)])),
  fc.string({ unit: anyCharacter, maxLength: 60 }).map((text) => Buffer.from(`{${text}`)),
  fc
    .array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 4 })
    .map((value) => Buffer.from(JSON.stringify(value))),
  fc
    .constantFrom('{"soc_pct":', "null", "{]", '"55"', "NaN", "1,2,3", "0x10", "𝟝𝟝", "[[[[", "{}x")
    .map((text) => Buffer.from(text)),
  fc
    .record({
      soc_pct: fc.constantFrom(-1, 100.5, 1e300, null, "x", [], {}, true),
      id: fc.constant(undefined),
    })
    .map((body) => Buffer.from(JSON.stringify(body))),
);

const TOPICS = [
  "hourgate/home/telemetry",
  "hourgate/home/telemetry/soc_pct",
  "hourgate/home/telemetry/ev_connected",
  "hourgate/home/telemetry/no_such_reading",
  "hourgate/home/slots/3/set",
  "hourgate/home/slots/x/plugged/set",
  "hourgate/home/request/no-such-request",
  "hourgate/home/charge_now",
  "hourgate/cabin/telemetry/soc_pct",
];

describe("malformed publishes", () => {
  it("are each answered with an error; nothing is stored and no client is disconnected", () =>
    withGateway(
      async ({ stored, logged }, device) => {
        const home = await device(KEYS.home);
        await home.subscribe("hourgate/home/ack");
        const payloads = fc.sample(malformed, { numRuns: COUNT, seed: 10_000 });
        for (let from = 0; from < COUNT; from += BURST) {
          const burst = payloads.slice(from, from + BURST).map((payload, index) => {
            const at = from + index;
            return home.publish(TOPICS[at % TOPICS.length]!, payload, (at % 2) as 0 | 1);
          });
          await Promise.all(burst);
          await home.until(() => home.messages.length === from + BURST, `${from + BURST} answers`);
        }
        const acks = home.acks();
        expect(acks).toHaveLength(COUNT);
        const wrong = acks.filter(({ ok, error }) => ok || !/^.{10,}\.$/s.test(error ?? ""));
        expect(wrong).toEqual([]);
        for (const [index, topic] of TOPICS.entries())
          expect([topic, acks.filter((ack) => ack.topic === topic).length]).toEqual([
            topic,
            payloads.filter((_payload, at) => at % TOPICS.length === index).length,
          ]);
        expect([stored, home.closes, home.connects]).toEqual([[], 0, 1]);
        expect(logged.filter((message) => message.includes("could not be handled"))).toEqual([]);
        await home.publish("hourgate/home/telemetry/soc_pct", "55");
        await home.until(() => home.messages.length === COUNT + 1);
        expect([stored.length, home.acks().at(-1)?.ok]).toEqual([1, true]);
      },
      {},
      { limits: limits({ publishes_per_second: UNTHROTTLED }) },
    ));
});
