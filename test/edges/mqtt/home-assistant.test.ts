import { describe, expect, it } from "vitest";
import type { Site } from "../../../src/config/site.js";
import type { MqttOptions } from "../../../src/edges/mqtt/service.js";
import {
  Device as Client,
  type Device,
  type GatewayOptions,
  KEYS,
  planWith,
  SITES,
  startGateway,
  withFolder,
  withGateway,
} from "./harness.js";
import { faultsOf } from "./home-assistant-rules.js";

const CONFIG = "homeassistant/device/hourgate_home/config";
const configOf = (device: string) => `homeassistant/device/hourgate_home/${device}/config`;

const slotDocument = (slot: number, label: string, more: object = {}) => ({
  slot_id: String(slot),
  label,
  kind: "wallbox",
  charge_now: 0,
  set_power_kw: 0,
  next_start: null,
  plugged: 1,
  override: "auto",
  override_until: null,
  window_end: "2026-01-16T07:00:00+01:00",
  vehicle: { soc_pct: 62.5, target_soc_pct: 80, surplus: "prefer" },
  ...more,
});

const BATTERY = {
  capacity_kwh: 10,
  min_soc_pct: 12,
  max_soc_pct: 95,
  max_charge_power_kw: 5,
  max_discharge_power_kw: 4.6,
  grid_charge_allowed: true,
};

/** A gateway whose sites and slots can be changed. */
function siteWithSlots(slots: ReturnType<typeof slotDocument>[]) {
  const plant = {
    ...SITES[0]!.plant,
    name: "Home sweet home",
    battery: BATTERY,
    grid: { export_limit_kw: null },
  };
  const sites: Site[] = [{ ...SITES[0]!, plant: plant as Site["plant"] }, SITES[1]!];
  const documents: MqttOptions["slots"] = {
    windows: async () => ({}),
    setPlugged: async () => {},
    override: async () => ({}),
    documents: (siteId) => (siteId === "home" ? slots : []),
  };
  const access = () =>
    ({ tokenValid: true, tokenPresent: true, site: sites[0], administrator: true }) as never;
  return {
    sites,
    options: {
      slots: documents,
      savings: { now: () => ({ todayEur: 0.31, monthEur: 4.2 }) },
      accounts: { access, sites: () => sites },
    } satisfies GatewayOptions,
  };
}

const announcementOf = (device: Device, topic = CONFIG) =>
  JSON.parse(device.last(topic)!) as {
    cmps: Record<string, { p: string; unique_id?: string; stat_t?: string }>;
  };

/** With a run that has begun and one that has not; `charge_now` is on. */
const plan = () => {
  const base = planWith({ chargeNow: 1, feedInLimitKw: 7.5 });
  const [next] = base.chargeHours;
  const begun = {
    ...next!,
    start: new Date("2026-01-15T08:00:00Z"),
    end: new Date("2026-01-15T09:00:00Z"),
  };
  return { ...base, chargeHours: [begun, next!] };
};

describe("announcements to Home Assistant", () => {
  it("follow the rules, are retained and refer to existing state topics", () => {
    const { options } = siteWithSlots([slotDocument(3, "Garage")]);
    return withGateway(
      async (gateway, device) => {
        gateway.plans.set("home", plan());
        gateway.planned("home");
        const ha = await device(KEYS.owner);
        await ha.settled();
        await ha.subscribe("homeassistant/#");
        await ha.subscribe("hourgate/#");
        await ha.until(() => ha.last("homeassistant/device/hourgate_cabin/config") !== undefined);
        await ha.until(
          () =>
            ha.last("hourgate/home/slots/3/plan") !== undefined &&
            ha.last("hourgate/home/plan") !== undefined,
        );
        const topics = [
          CONFIG,
          configOf("battery"),
          configOf("slot_3"),
          "homeassistant/device/hourgate_cabin/config",
        ];
        expect(
          new Set(ha.messages.map(({ topic }) => topic).filter((one) => one.startsWith("home"))),
        ).toEqual(new Set(topics));
        for (const topic of topics) {
          expect(ha.messages.find((message) => message.topic === topic)?.retain).toBe(true);
          expect(faultsOf(announcementOf(ha, topic))).toEqual([]);
        }
        const document = announcementOf(ha);
        const battery = announcementOf(ha, configOf("battery"));
        const garage = announcementOf(ha, configOf("slot_3"));
        expect(document).toMatchObject({
          dev: {
            ids: ["hourgate_home"],
            name: "Home sweet home",
            sw: "1.2.3",
            cu: "http://192.168.1.5:8080",
          },
          o: { name: "hourgate", sw: "1.2.3" },
          availability: [{ topic: "hourgate/status" }],
        });
        expect(battery).toMatchObject({ dev: { name: "Battery", via_device: "hourgate_home" } });
        expect(garage).toMatchObject({ dev: { name: "Garage", via_device: "hourgate_home" } });
        expect(document.cmps.price_eur).toMatchObject({
          name: "Price in EUR",
          stat_t: "hourgate/home/price/now_ct_kwh",
          unit_of_meas: "EUR/kWh",
          val_tpl: "{{ (value | float / 100) | round(6) if value else None }}",
        });
        expect(document.cmps.next_charge).toMatchObject({ name: "Next charge", dev_cla: "timestamp" });
        expect(ha.last(document.cmps.next_charge!.stat_t!)).toBe("2026-01-15T13:00:00+01:00");
        expect(garage.cmps.slot_3_plugged).toMatchObject({
          p: "switch",
          cmd_t: "hourgate/home/slots/3/plugged/set",
          stat_t: "hourgate/home/slots/3/plan",
        });
        expect(garage.cmps.slot_3_override).toMatchObject({
          p: "select",
          name: "Override",
          default_entity_id: "select.hourgate_home_slot_3_override",
          options: ["auto", "run", "skip", "only sun"],
        });
        expect(ha.last(garage.cmps.slot_3_vehicle_soc!.stat_t!)).toBe("62.5");
        expect(ha.last(garage.cmps.slot_3_power!.stat_t!)).toBe("0");
        expect(garage.cmps.slot_3_charge_now).toMatchObject({ name: "Charge now" });
        const all = { ...document.cmps, ...battery.cmps, ...garage.cmps };
        const ids = Object.values(all).map(({ unique_id }) => unique_id);
        expect(new Set(ids).size).toBe(ids.length);
        // Unknown values have no topic; an attribute says why, that of the plan with its curve.
        const missing = Object.entries(all).filter(([, { stat_t }]) => ha.last(stat_t!) === undefined);
        const reasons = Object.assign(
          {},
          ...["plant", "battery", "slot_3"].map((id) =>
            JSON.parse(ha.last(`hourgate/home/home_assistant/${id}`)!),
          ),
        ) as Record<string, { reason: string }>;
        expect(reasons).toMatchObject({
          slot_3_next_start: { reason: "Nothing is planned." },
          slot_3_override_until: { reason: "No override is in force." },
        });
        expect(Object.keys(reasons)).toEqual(
          expect.arrayContaining(missing.map(([key]) => key).filter((key) => key !== "plan")),
        );
        expect(reasons).not.toHaveProperty("price");
        // Without a battery: prices, the sentence and what is measured.
        expect(Object.keys(announcementOf(ha, "homeassistant/device/hourgate_cabin/config").cmps)).toEqual([
          "now_and_next",
          "price",
          "price_quartile",
          "price_eur",
          "price_signal",
          "cost_today",
          "import_today",
          "export_today",
          "load_today",
          "presence",
          "presence_until",
        ]);
      },
      {},
      options,
    );
  });

  it("are repeated after Home Assistant's birth message, updated with the slots and removed with the plant", () => {
    const slots = [slotDocument(3, "Garage")];
    const { sites, options } = siteWithSlots(slots);
    return withGateway(
      async ({ bus }, device) => {
        const ha = await device(KEYS.owner);
        await ha.subscribe("homeassistant/device/+/config");
        await ha.until(() => ha.texts(CONFIG).length === 1);
        await ha.publish("homeassistant/status", "online");
        await ha.until(() => ha.texts(CONFIG).length === 2);
        expect(ha.texts(CONFIG)[1]).toBe(ha.texts(CONFIG)[0]);

        await ha.subscribe("homeassistant/device/+/+/config");
        slots.splice(0, 1, slotDocument(1, "Boiler", { kind: "boiler", vehicle: undefined }));
        bus.emit("site.changed", sites[0]!);
        await ha.until(() => ha.last(configOf("slot_3")) === "" && ha.last(configOf("slot_1")) !== undefined);
        const { cmps } = announcementOf(ha, configOf("slot_1"));
        expect(faultsOf(announcementOf(ha, configOf("slot_1")))).toEqual([]);
        expect(cmps.slot_1_charge_now).toMatchObject({ name: "Release" });
        expect(cmps).not.toHaveProperty("slot_1_vehicle_soc");
        expect(cmps).not.toHaveProperty("slot_1_plugged");

        // A device of the same slot that loses an entity lists it once more.
        slots.splice(0, 1, slotDocument(1, "Car", { vehicle: undefined }));
        bus.emit("site.changed", sites[0]!);
        await ha.until(() => ha.last(configOf("slot_1"))!.includes("slot_1_plugged"));
        slots.splice(0, 1, slotDocument(1, "Boiler", { kind: "boiler", vehicle: undefined }));
        bus.emit("site.changed", sites[0]!);
        await ha.until(() => ha.last(configOf("slot_1"))!.includes("Release"));
        expect(announcementOf(ha, configOf("slot_1")).cmps.slot_1_plugged).toEqual({ p: "switch" });

        await ha.subscribe("hourgate/cabin/#");
        await ha.until(() => ha.last("hourgate/cabin/forecast") !== undefined);
        sites.pop();
        bus.emit("site.removed", { siteId: "cabin" });
        await ha.until(() => ha.last("homeassistant/device/hourgate_cabin/config") === "");
        await ha.until(() => ha.last("hourgate/cabin/forecast") === "");
        const late = await device(KEYS.owner);
        await late.subscribe("#");
        await late.until(() => late.last("hourgate/home/forecast") !== undefined);
        expect(late.messages.filter(({ topic }) => topic.includes("cabin"))).toEqual([]);
      },
      {},
      options,
    );
  });

  it("have names in the language of the plant's user, also after the user has changed it", () => {
    let language: "de" | "en" = "en";
    const homeassistant = { enabled: true, prefix: "homeassistant", language: "auto" as const };
    return withGateway(
      async ({ bus }, device) => {
        const ha = await device(KEYS.owner);
        await ha.subscribe(CONFIG);
        const name = () => announcementOf(ha).cmps.price as { name?: string } | undefined;
        await ha.until(() => ha.texts(CONFIG).length === 1);
        expect(name()).toMatchObject({ name: "Price" });
        language = "de";
        bus.emit("account.language_changed", { accountId: "another" });
        bus.emit("account.language_changed", { accountId: SITES[0]!.accountId });
        // The entities are unloaded before their states have other words.
        await ha.until(() => ha.texts(CONFIG).length === 2);
        expect(ha.last(CONFIG)).toBe('{"migrate_discovery":true}');
      },
      {},
      { settings: { homeassistant }, languageOf: () => language },
    );
  });

  it("remove outdated announcements of the previous run, and all if discovery is off", () =>
    withFolder(async (folder) => {
      const before = siteWithSlots([slotDocument(3, "Garage")]);
      const first = await startGateway(folder, {}, before.options);
      const witness = await new Client(first.service.port!, KEYS.owner).connected();
      await witness.settled();
      await witness.end();
      await first.service.stop();

      const after = siteWithSlots([]);
      after.sites.pop();
      const settings = { homeassistant: { enabled: true, prefix: "homeassistant", language: "en" } as const };
      const second = await startGateway(folder, {}, { ...after.options, settings });
      const ha = await new Client(second.service.port!, KEYS.owner).connected();
      await ha.settled();
      await ha.subscribe("#");
      await ha.until(() => ha.last(CONFIG) !== undefined && ha.last("hourgate/home/forecast") !== undefined);
      expect(announcementOf(ha).cmps.price).toMatchObject({ name: "Price" });
      expect(ha.messages.filter(({ topic }) => topic === configOf("slot_3"))).toEqual([]);
      expect(ha.messages.filter(({ topic }) => topic.includes("cabin"))).toEqual([]);
      await ha.end();
      await second.service.stop();

      const off = await startGateway(
        folder,
        {},
        {
          ...after.options,
          settings: { homeassistant: { enabled: false, prefix: "homeassistant", language: "en" } },
        },
      );
      const late = await new Client(off.service.port!, KEYS.owner).connected();
      await late.settled();
      await late.subscribe("#");
      await late.until(() => late.last("hourgate/home/forecast") !== undefined);
      expect(late.messages.filter(({ topic }) => topic.startsWith("homeassistant/"))).toEqual([]);
      await late.end();
      await off.service.stop();
    }));
});
