import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HOUR_MS, MINUTE_MS } from "../../../src/core/domain/interval.js";
import { awattarSource } from "../../../src/forecast/market/sources/awattar.js";
import { FileSource } from "../../../src/forecast/market/sources/file.js";
import { MqttPriceSource } from "../../../src/forecast/market/sources/mqtt.js";
import { answeringServer, json, recorded } from "../../support/answering-server.js";
import { eventually } from "../../support/eventually.js";
import { hours, ScriptedSource, startService } from "./started-prices.js";

describe("publication in a replay", () => {
  it("hides prices until their publication and emits an event then", async () => {
    const file = new ScriptedSource("file", true);
    file.reply = () => hours("2026-01-01T00:00:00Z", 24 * 40);
    const { make, clock, events, part } = startService([file], {
      now: "2026-01-15T11:59:00Z",
      publishAt: "13:00",
    });
    const service = make();
    await service.start();
    expect(service.published().endMs).toBe(Date.parse("2026-01-15T23:00:00Z"));
    expect(service.published()).toBe(service.published());
    expect(part()?.state).toBe("ok");
    events.length = 0;
    await clock.advance(MINUTE_MS);
    expect(events.map(({ endMs }) => new Date(endMs).toISOString())).toEqual(["2026-01-16T23:00:00.000Z"]);
    await clock.set(new Date("2026-01-16T11:59:59Z"));
    expect(events).toHaveLength(1);
    await clock.set(new Date("2026-01-17T12:00:00Z"));
    expect(events).toHaveLength(3);
  });

  it("emits no event if only hidden prices change", async () => {
    const file = new ScriptedSource("file", true);
    file.reply = () => hours("2026-01-14T23:00:00Z", 24);
    const { make, clock, events } = startService([file], { publishAt: "13:00" });
    const service = make();
    await service.start();
    events.length = 0;
    file.reply = () => hours("2026-01-14T23:00:00Z", 48);
    await clock.set(new Date("2026-01-15T09:30:00Z"));
    expect(file.requests.length).toBeGreaterThan(1);
    expect(events).toEqual([]);
    await clock.set(new Date("2026-01-15T12:00:00Z"));
    expect(events).toHaveLength(1);
  });

  it("without publish_at all prices are public", async () => {
    const file = new ScriptedSource("file", true);
    file.reply = () => hours("2026-01-01T00:00:00Z", 24 * 40);
    const service = startService([file]).make();
    await service.start();
    expect(service.published().endMs).toBe(Date.parse("2026-02-10T00:00:00Z"));
  });
});

describe("with real sources", () => {
  it("reads a recorded answer over HTTP and keeps it during faults", async () => {
    const server = await answeringServer(json(recorded("awattar_at_marketdata_2024-10-27_dst_autumn.json")));
    const source = awattarSource({ url: server.url, timeoutMs: 2_000 });
    const { make, part, clock, wall } = startService([source], { now: "2024-10-27T08:00:00Z" });
    const service = make();
    await service.start();
    await eventually(() => expect(service.published().hour(Date.parse("2024-10-26T22:00:00Z"))).toBe(92.68));
    // The missing hour is a gap, so the due prices are incomplete.
    expect(service.published().hour(Date.parse("2024-10-27T22:00:00Z"))).toBeUndefined();
    await eventually(() => expect(part()?.state).toBe("degraded"));

    const faults = [
      () => server.answer((_request, response) => response.writeHead(500).end()),
      () => server.answer(json("<html>maintenance</html>")),
      () => server.answer(() => {}),
    ];
    const details = ["status 500", "not complete JSON", "did not answer within"];
    for (const [index, fault] of faults.entries()) {
      fault();
      await wall.advance(HOUR_MS);
      await clock.advance(HOUR_MS);
      await eventually(() => expect(part()?.detail).toContain(details[index]));
      expect(part()?.state).toBe("down");
    }
    expect(service.published().hour(Date.parse("2024-10-26T22:00:00Z"))).toBe(92.68);
    await server.close();
  });

  it("uses prices from a topic immediately", async () => {
    const topic = new MqttPriceSource("prices/at");
    const { make, events, advance } = startService([topic]);
    const service = make();
    await service.start();
    topic.receive("start_utc,eur_per_mwh\n2026-01-15T08:00:00Z,10\n");
    await advance(0);
    expect(events).toHaveLength(1);
    topic.receive("start_utc,eur_per_mwh\n2026-01-15T08:00:00Z,12\n");
    await advance(0);
    expect(service.published().hour(Date.parse("2026-01-15T08:00:00Z"))).toBe(12);
    await service.stop();
    topic.receive("start_utc,eur_per_mwh\n2026-01-15T08:00:00Z,14\n");
    await advance(0);
    expect(events).toHaveLength(2);
  });

  it("ignores a topic after a source that provides all due prices", async () => {
    const first = new ScriptedSource("first");
    first.reply = () => hours("2026-01-14T23:00:00Z", 48);
    const topic = new MqttPriceSource("prices/at");
    const { make, advance } = startService([first, topic]);
    const service = make();
    await service.start();
    await advance(0);
    topic.receive("start_utc,eur_per_mwh\n2026-01-15T08:00:00Z,10\n");
    await advance(0);
    expect(service.published().hour(Date.parse("2026-01-15T08:00:00Z"))).toBe(59);
  });

  it("reads a changed file again", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hourgate-prices-"));
    const path = join(folder, "prices.csv");
    await writeFile(path, "start_utc,eur_per_mwh\n2026-01-15T08:00:00Z,10\n");
    const { make, events } = startService([new FileSource(path, { watchEveryMs: 10 })]);
    const service = make();
    await service.start();
    expect(service.published().endMs).toBe(Date.parse("2026-01-15T09:00:00Z"));
    events.length = 0;
    await writeFile(path, "start_utc,eur_per_mwh\n2026-01-15T08:00:00Z,10\n2026-01-15T09:00:00Z,20\n");
    await eventually(() => expect(events).toHaveLength(1));
    expect(service.published().hour(Date.parse("2026-01-15T09:00:00Z"))).toBe(20);
    await rm(folder, { recursive: true });
  });
});
