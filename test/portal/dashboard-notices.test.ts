import { h } from "preact";
import { render } from "preact-render-to-string";
import { describe, expect, it } from "vitest";
import { ActuatorInputError } from "../../src/equipment/input-error.js";
import { proposedLoadWithout } from "../../src/portal/dashboard/alerts.js";
import { dashboardParts } from "../../src/portal/dashboard/page.js";
import { retry } from "../../src/portal/dashboard/retry.js";
import type { DashboardView } from "../../src/portal/dashboard/view.js";
import { samplePlan, slotSettings } from "../api/fake-services.js";
import { house, NOW, planWith, read } from "./dashboard-view.js";

describe("the notices of the overview", () => {
  it("warns 60 days before the amounts of the tariff or a levy end", () => {
    const tariff = [
      {
        known_until: "2026-03-10",
        levies: [
          { name: "Abgabe", ct_kwh: 0.1, valid_to: "2026-02-28" },
          { name: "Alt", ct_kwh: 1, valid_to: "2024-12-31" },
        ],
      },
    ];
    const own = house();
    const at = (now: string) =>
      house({ now: new Date(now), live: {}, site: { ...own.site, plant: { ...own.site.plant, tariff } } });
    expect(read("components", at("2025-12-15T12:00:00Z"))).toBe("");
    expect(read("components", at("2026-01-15T12:00:00Z"))).toBe(
      "Beträge des Tarifs enden Die Abgabe „Abgabe“ des Tarifs endet am 28.02.2026, ohne dass eine folgt. Gilt sie weiter, bitte mit dem Datum eintragen, ab dem sie gilt. Die Beträge des Tarifs sind bis 10.03.2026 bekannt. Bitte die danach gültigen eintragen.",
    );
    expect(read("components", at("2026-06-15T12:00:00Z"), "en")).toBe(
      "Amounts of the tariff end The amounts of the tariff were known until 10 Mar 2026 and continue to be used. Enter those that apply now.",
    );
    expect(read("components", own)).toBe("");
  });

  it("calls a device by its name, not by an id", () => {
    const own = house();
    const slots = [slotSettings({ slot: 2, label: "Warmwasser", kind: "boiler" })];
    const site = { ...own.site, plant: { ...own.site.plant, slots } };
    const deviceNames = new Map([
      ["relay-7", "Warmwasser"],
      ["inv-1", "Fronius GEN24"],
    ]);
    const failing = (name: string, detail: object[] = []) =>
      house({
        site,
        deviceNames,
        components: [{ name, state: "degraded", since: NOW, vital: false, detail }] as never,
      });
    for (const name of ["device home/2", "actuator/home/relay-7"])
      expect(read("components", failing(name))).toBe(
        "Warmwasser eingeschränkt Warmwasser eingeschränkt (seit heute 09:20). Zu den Geräten",
      );
    expect(read("components", failing("device/home/inv-1"))).toMatch(/^Fronius GEN24 eingeschränkt /);
    const silent = [{ code: "actuator_error", fault: "unreachable", message: "connect ETIMEDOUT" }];
    expect(read("components", failing("actuator/home/relay-7", silent))).toMatch(
      /^Warmwasser nicht erreichbar Warmwasser nicht erreichbar \(seit heute 09:20\)\. Das Gerät ist nicht erreichbar/,
    );
  });

  it("offers to try again what can be: a device and the price source, not the home's own settings", async () => {
    const shown = (name: string) =>
      read(
        "components",
        house({
          csrfToken: "token",
          components: [{ name, state: "down", since: NOW, vital: false, detail: [] }],
        }),
      );
    for (const name of ["actuator/home/relay-7", "device/home/inverter", "price_source"])
      expect(shown(name)).toContain("Erneut versuchen");
    for (const name of ["actuator/other/relay-7", "device home/2", "weather_source"])
      expect(shown(name)).not.toContain("Erneut versuchen");
    const tried: string[] = [];
    const options = {
      actuators: { takeOver: async (...of: string[]) => void tried.push(of.join(" ")) },
      devices: { read: async (...of: string[]) => void tried.push(of.join(" ")) as never },
      prices: { retry: async () => void tried.push("prices") },
    };
    for (const name of ["actuator/home/relay-7", "device/home/inverter", "price_source"])
      expect(await retry(options, name, "home")).toBe(true);
    expect(await retry(options, "actuator/other/relay-7", "home")).toBe(false);
    expect(tried).toEqual(["home relay-7", "home inverter", "prices"]);
    // Its alert says why it cannot run.
    const takeOver = () => Promise.reject(new ActuatorInputError("There is no such template."));
    expect(await retry({ ...options, actuators: { takeOver } }, "actuator/home/relay-7", "home")).toBe(true);
  });

  it("warns once, with what to check, while the battery does not follow", () => {
    const since = new Date("2026-01-15T08:00:00Z");
    const following = planWith({
      following: "no",
      followingCause: "discharges_despite_cap",
      followingSince: since,
    });
    const detail = [{ code: "battery_not_following" as const, cause: "discharges_despite_cap" }];
    const components = [{ name: "battery home", state: "degraded" as const, vital: false, since, detail }];
    const shown = read("components", house({ plan: following, components }));
    expect(shown).toContain("Die Batterie folgt den Befehlen nicht seit heute 09:00.");
    expect(shown).toContain("Sie entlädt, obwohl das gesperrt ist.");
    expect(shown.match(/folgt/g)).toHaveLength(1);
    expect(read("components", house({ plan: following }), "en")).toContain("since today 09:00");
    expect(read("components", house({ plan: planWith({ following: "unknown" }) }))).toBe("");
  });

  it("says that the readings do not add up, and offers the setting that fits", () => {
    const detail = [
      {
        code: "balance_open" as const,
        pvKw: 0.8,
        gridKw: 0.5,
        homeKw: 0.6,
        batteryKw: 0.2,
        reversed: "grid" as const,
      },
      { code: "load_contains" as const, slots: "1", isContained: false, setting: "[1]" },
    ];
    const components = [
      { name: "balance home", state: "degraded" as const, vital: false, since: NOW, detail },
    ];
    const shown = read("components", house({ components, csrfToken: "t" }));
    expect(shown).toContain("PV 0,8 + Netz 0,5 ≠ Haus 0,6 + Batterie 0,2 kW");
    expect(shown).toContain("Diese Einstellung übernehmen");
    expect(proposedLoadWithout(components, "home")).toEqual([1]);
  });

  it("escapes what people and devices named", () => {
    const evil = house({
      components: [
        {
          name: "<b>x",
          state: "down",
          since: NOW,
          detail: [{ code: "store_ok", folder: "<script>alert(1)</script>" }],
          vital: false,
        },
      ],
    });
    const html = render(h("div", {}, dashboardParts(evil, "de", 24).components));
    expect(html).not.toContain("<script>");
    expect(html).toContain("&lt;script>alert(1)");
    expect(read("components", evil)).toContain("ausgefallen");
  });

  it("shows the first of several notices in one line, with the number of the others", () => {
    const detail = [{ code: "store_ok" as const, folder: "/data" }];
    const down = { state: "down" as const, vital: false, since: NOW, detail };
    const html = render(
      h(
        "div",
        {},
        dashboardParts(
          house({
            components: [
              { ...down, name: "a" },
              { ...down, name: "b" },
            ],
          }),
          "de",
          24,
        ).components,
      ),
    );
    expect(html).toMatch(/<summary>a ausgefallen · 1 weitere<\/summary>/);
    expect(html.match(/<details/g)).toHaveLength(1);
    expect(html.match(/Die Daten liegen in \/data/g)).toHaveLength(2);
  });

  it("names readings that have stopped, what applies in their place and where to look", () => {
    const at = (minutes: number, value = 1) => ({ value, at: new Date(NOW.getTime() - minutes * 60_000) });
    const shown = (live: DashboardView["live"], language: "de" | "en" = "de") =>
      read("components", house({ live }), language);
    expect(shown({ soc_pct: at(15), load_power_kw: at(3), battery_power_kw: at(1) })).toBe("");
    expect(shown({ soc_pct: at(20), load_power_kw: at(20) })).toBe(
      "2 Messwerte fehlen Kein Messwert seit heute 09:00: Ladestand, Haushaltsverbrauch. hourgate rechnet inzwischen mit dem Ladestand, den der Plan für jetzt erwartet; nach 120 Minuten ohne Messwert lädt es nicht mehr aus dem Netz. Statt der fehlenden Leistungen verwendet hourgate die PV-Prognose und den üblichen Verbrauch. Unter „Verbinden“ steht, welche Verbindung nichts mehr sendet",
    );
    expect(shown({ soc_pct: at(140), battery_power_kw: at(20) }, "en")).toMatch(
      /^2 readings are missing No reading since today 07:00: state of charge\. No reading since today 09:00: battery power\. .*does not charge the battery from the grid.*Whether the battery follows/,
    );
    // A meter that was removed long ago, and an inverter that is off at night.
    expect(shown({ soc_pct: at(1), load_power_kw: at(60 * 24 * 31), pv_power_kw: at(600) })).toBe("");
    const sunny = samplePlan();
    const days = sunny.days.map((day) => ({
      ...day,
      hours: [{ ...day.hours[0]!, start: NOW, end: new Date(NOW.getTime() + 3_600_000), pvKwh: 2 }],
    }));
    const view = house({ live: { pv_power_kw: at(600) }, plan: { ...sunny, days } });
    expect(read("components", view)).toMatch(
      /^Kein Messwert: PV-Leistung Kein Messwert seit Mi\., 14\. Jän\. 23:20: PV-Leistung\./,
    );
  });

  it("names the one of several batteries whose readings have stopped", () => {
    const own = house();
    const batteries = ["cellar", "garage"].map((id) => ({
      ...own.site.plant.battery!,
      id,
      label: id === "cellar" ? "Keller" : "",
    }));
    const old = { value: 50, at: new Date(NOW.getTime() - 20 * 60_000) };
    const live = {
      soc_pct: old,
      battery_cellar_soc_pct: old,
      battery_garage_soc_pct: { value: 50, at: NOW },
    };
    const site = { ...own.site, plant: { ...own.site.plant, batteries } };
    expect(read("components", house({ site, live }))).toMatch(
      /^Kein Messwert: Ladestand Kein Messwert seit heute 09:00: Ladestand \(Keller\)\. hourgate/,
    );
  });
});
