import { describe, expect, it } from "vitest";
import type { Site } from "../../../src/config/site.js";
import { SiteRuntimes } from "../../../src/config/site-runtimes.js";
import { createBus } from "../../../src/core/bus.js";
import { Ingest } from "../../../src/edges/mqtt/topics/ingest.js";
import { PayloadError } from "../../../src/edges/mqtt/topics/payload.js";
import { createPresenceMirror, takePresence } from "../../../src/edges/mqtt/topics/presence.js";
import { createTopics } from "../../../src/edges/mqtt/topics/topics.js";

const topics = createTopics("hourgate");

describe("the topics of absences and guests", () => {
  it("have what holds now, its end and all details", () => {
    const values = new Map<string, string>();
    const periods = [{ id: "p1", presence: "away" }];
    const details = { presence: "away", until: "2026-01-20T00:00:00+01:00", noticed_since: null, periods };
    const document = { issued_at: "2026-01-15T00:00:00+01:00", ...details };
    const mirror = createPresenceMirror({
      topics,
      presence: { document: (plant) => (plant === "home" ? document : undefined) },
      setValue: (topic, payload) => void values.set(topic, payload),
    });
    mirror("home");
    expect([...values]).toEqual([
      ["hourgate/home/presence", "away"],
      ["hourgate/home/presence/until", "2026-01-20T00:00:00+01:00"],
      ["hourgate/home/presence/details", JSON.stringify(details)],
    ]);
    mirror("elsewhere");
    expect(values.get("hourgate/elsewhere/presence")).toBe("");
  });

  const taken = async (topic: string, payload: string, presence = "away") => {
    const inbound = topics.inbound(`hourgate/home/${topic}`);
    if (inbound?.kind !== "presence") throw new Error(`${topic} is not read`);
    let body: object | undefined;
    const id = await takePresence("home", inbound.action, Buffer.from(payload), {
      document: () => ({ presence }),
      change: async (_plant, one) => {
        body = one;
        return "from" in one ? { error: { message: "from is wrong.", details: [] } } : {};
      },
    });
    return { id, body };
  };

  it("take a word, a JSON object, and an end", async () => {
    expect((await taken("presence/set", "Away")).body).toEqual({ presence: "away" });
    const json = JSON.stringify({ presence: "guests", until: "2026-01-20", id: 7 });
    expect(await taken("presence/set", json)).toEqual({
      id: 7,
      body: { presence: "guests", until: "2026-01-20" },
    });
    expect((await taken("presence/until/set", "2026-01-20 18:00")).body).toEqual({
      presence: "away",
      until: "2026-01-20 18:00",
    });
    expect((await taken("presence/until/set", "")).body).toEqual({ presence: "away" });
  });

  it("are executed in order: the end of an absence that was sent just before", async () => {
    const site = { id: "home", plant: {} } as Site;
    let presence = "usual";
    const bodies: object[] = [];
    const acks: string[] = [];
    const refused = async () => ({ error: { message: "Refused.", details: [] } });
    const ingest = new Ingest({
      topics,
      sites: new SiteRuntimes(createBus(), [site]),
      site: () => site,
      samples: { take: async () => undefined },
      requests: {},
      slots: { windows: refused, override: refused, setPlugged: async () => {} },
      chargeTargets: { of: () => undefined, take: async () => undefined },
      actuators: { setEnabled: async () => {} },
      presence: {
        document: () => ({ presence }),
        change: async (_plant, body) => {
          await new Promise((resolve) => setImmediate(resolve));
          ({ presence } = body as { presence: string });
          bodies.push(body);
          return {};
        },
      },
      isReserved: () => false,
      repeatValue: () => {},
      send: (_topic, text) => void acks.push(text),
      log: { trace() {}, debug() {}, info() {}, warn() {}, error() {} },
    });
    const send = (topic: string, payload: string) =>
      ingest.handle(`hourgate/home/${topic}`, Buffer.from(payload), { retained: false, replyTo: undefined });
    await Promise.all([send("presence/set", "away"), send("presence/until/set", "2026-01-20 18:00")]);
    expect(bodies).toEqual([{ presence: "away" }, { presence: "away", until: "2026-01-20 18:00" }]);
    expect(acks.map((text) => JSON.parse(text).ok)).toEqual([true, true]);
  });

  it("say what is wrong, with the id of the message", async () => {
    await expect(taken("presence/until/set", "2026-01-20", "usual")).rejects.toThrow(
      "set the presence to away",
    );
    await expect(taken("presence/set", "")).rejects.toThrow("The payload is empty");
    const refused = taken("presence/set", JSON.stringify({ presence: "away", from: "never", id: "x" }));
    await expect(refused).rejects.toThrow(PayloadError);
    await expect(refused).rejects.toMatchObject({ message: "from is wrong.", id: "x" });
  });
});
