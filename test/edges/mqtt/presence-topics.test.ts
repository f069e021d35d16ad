import { describe, expect, it } from "vitest";
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
