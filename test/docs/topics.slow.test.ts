import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectAsync } from "mqtt";
import { expect, it, vi } from "vitest";
import { stringify } from "yaml";
import { createGateway } from "../../src/app/gateway.js";
import { parse } from "../../src/config/load.js";
import { HOUR_MS, QUARTER_MS } from "../../src/core/domain/interval.js";
import { OUTPUT_NAMES } from "../../src/core/domain/plan-field-lists.js";
import { silentLog } from "../../src/core/log.js";
import { openStore } from "../../src/store/store.js";
import { page, section } from "./pages.js";

const KEY = `hg_live_${"o".repeat(43)}`;

/** The topics of the table, expanded: `…` is the plant's prefix, `<n>` slot 3, `<id>` an actuator, `O1` … the topics of all outputs. */
function documentedTopics(): string[] {
  const table = section(page("docs/mqtt.md"), "## Topics out");
  const cells = table.split("\n").flatMap((line) => (line.startsWith("| `") ? [line.split("|")[1]!] : []));
  return cells.flatMap((cell) => {
    const names = [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1]!);
    const all = cell.includes("` … `") ? OUTPUT_NAMES.map((name) => `…/outputs/${name}`) : names;
    // Topics for Home Assistant are left out: it is not enabled here, and they are its own. Readings of devices need one that answers.
    const published = all.filter((name) => !/\/home_assistant\/|\/devices\/.*\/(age_s|readings)/.test(name));
    return published.map((name) =>
      name
        .replace("<prefix>", "hourgate")
        .replace("…", "hourgate/home")
        .replace("<n>", "3")
        .replace("batteries/<id>", "batteries/garage")
        .replace("<id>", "car"),
    );
  });
}

/** Stores prices and readings of ten hours, so that the savings of the day so far are known. */
async function measuredMorning(folder: string): Promise<void> {
  const store = await openStore(folder, silentLog);
  const startMs = Date.parse("2026-01-14T23:00:00Z");
  const hours = Array.from({ length: 24 }, (_, hour) => new Date(startMs + hour * HOUR_MS));
  // Cheap in the afternoon: the vehicle waits for it, so that a next start is published.
  const eurPerMwh = (hour: number) => (hour >= 14 && hour < 17 ? 20 : 100);
  await store.prices.save(hours.map((start, hour) => ({ start, minutes: 60, eurPerMwh: eurPerMwh(hour) })));
  await store.samples.append(
    "home",
    Array.from({ length: 41 }, (_, quarter) => ({
      at: new Date(startMs + quarter * QUARTER_MS),
      values: {
        import_kwh: quarter,
        export_kwh: 0,
        pv_kwh: 900,
        charge_kwh: 500,
        discharge_kwh: 450,
        battery_power_kw: 0,
        pv_power_kw: 0,
        soc_pct: 50,
        slot_3_energy_kwh: quarter / 4,
      },
    })),
  );
  await store.close();
}

it("docs/mqtt.md lists exactly the topics that a gateway publishes", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hourgate-topics-"));
  const { settings } = parse(
    stringify({
      data_dir: join(folder, "data"),
      http: { host: "127.0.0.1", port: 0 },
      clock: { start: "2026-01-15T10:00:00+01:00", speed: 1 },
      owner: { key: KEY, password: "a long password" },
      market: { sources: [] },
      weather: { sources: [] },
      node_red: { enabled: false },
      mqtt: {
        broker: { host: "127.0.0.1", port: 0 },
        heartbeat_seconds: 1,
        homeassistant: { enabled: false },
      },
      plants: [
        {
          id: "home",
          latitude: 48.2,
          longitude: 16.4,
          timezone: "Europe/Vienna",
          batteries: [{ id: "garage", capacity_kwh: 10, max_charge_power_kw: 5, max_discharge_power_kw: 5 }],
          pv: [{ peak_kw: 5, tilt_deg: 30, azimuth_deg: 180 }],
          grid: { export_limit_kw: 4 },
          tariff: [{ energy: { type: "spot" }, grid_power: { eur_kw_year: 45 }, vat_pct: 20 }],
          actuators: [
            { id: "car", controls: "slot 3", template: "shelly-gen2", with: { host: "127.0.0.1:9" } },
          ],
          slots: [
            {
              slot: 3,
              kind: "wallbox",
              vehicle: { capacity_kwh: 60, target_soc_pct: 80, departure: "20:00" },
            },
            { slot: 4, kind: "heat_pump", power_kw: 2, sg_ready: {} },
          ],
        },
      ],
    }),
  );
  await measuredMorning(settings.data_dir);
  const gateway = createGateway(settings, { log: silentLog, sampledLoads: 2 });
  await gateway.start();
  const url = `mqtt://127.0.0.1:${gateway.ports.mqtt}`;
  const client = await connectAsync(url, { username: "me", password: KEY });
  try {
    const expected = new Set(documentedTopics());
    expect(expected.size).toBeGreaterThan(40);
    const seen = new Set<string>();
    client.on("message", (topic, payload) => {
      if (payload.length > 0 && !/\/(ack|telemetry|set)(\/|$)/.test(topic))
        // The two slots have the topics of a slot together.
        seen.add(topic.replace("/slots/4/", "/slots/3/"));
    });
    await client.subscribeAsync("hourgate/#", { qos: 1 });
    await client.publishAsync("hourgate/home/telemetry/soc_pct", "50", { qos: 1 });
    await client.publishAsync("hourgate/home/slots/3/telemetry/soc_pct", "60", { qos: 1 });
    // A vehicle arrives.
    for (const plugged of ["0", "1"])
      await client.publishAsync("hourgate/home/slots/3/plugged/set", plugged, { qos: 1 });
    await client.publishAsync("hourgate/home/battery/override/set", "hold", { qos: 1 });
    const away = JSON.stringify({ presence: "away", until: "2026-01-20" });
    await client.publishAsync("hourgate/home/presence/set", away, { qos: 1 });
    await vi.waitFor(() => expect([...seen].sort()).toEqual([...expected].sort()), {
      timeout: 60_000,
      interval: 50,
    });
  } finally {
    await client.endAsync(true);
    await gateway.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
