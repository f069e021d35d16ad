import { describe, expect, it } from "vitest";
import { parse } from "../../src/config/load.js";
import { unservedParts } from "../../src/config/unserved.js";

const unservedIn = (text: string) => unservedParts(parse(text).settings);

describe("unservedParts", () => {
  it("is silent about defaults, whether they are written or not", () => {
    expect(unservedIn("")).toEqual([]);
    expect(
      unservedIn(
        "node_red: { enabled: true }\nweather: { sources: [{ type: open_meteo }, { type: met_no }] }\nmqtt: { homeassistant: { enabled: true } }",
      ),
    ).toEqual([]);
    expect(
      unservedIn("market: { sources: [{ type: file, path: x }, { type: mqtt, topic: t, enabled: false }] }"),
    ).toEqual([]);
  });

  it("says nothing of weather and PV, which are served", () => {
    expect(
      unservedIn("weather: { sources: [{ type: met_no }] }\nplants: [{ id: home, pv: [{ peak_kw: 5 }] }]"),
    ).toEqual([]);
  });

  it("gives one sentence for each configured part", () => {
    expect(unservedIn("mqtt: { broker: { ws_port: 9001 }, external: { url: mqtt://h } }")).toEqual([
      "mqtt.external: joining an external broker is not served by this version yet.",
      "mqtt.broker.ws_port: MQTT over WebSocket is not served by this version yet.",
    ]);
    expect(unservedIn("node_red: { enabled: false }\nsmtp: { host: h }")).toHaveLength(2);
  });
});
