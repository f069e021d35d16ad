import { h } from "preact";
import { render } from "preact-render-to-string";
import { describe, expect, it } from "vitest";
import { dashboardAssets } from "../../src/portal/dashboard/client-files.js";
import { dashboardParts } from "../../src/portal/dashboard/page.js";
import { formatOf } from "../../src/texts/format.js";
import { house, NOW, planWith, read } from "./dashboard-view.js";

describe("the dashboard", () => {
  it("shows all outputs with their units, and what is left of the quota", () => {
    const outputs = read("outputs", house());
    expect(outputs).toContain("O5 Zu ladende Energie 10,30 kWh");
    expect(outputs).toContain("O6 Zeit bis zum nächsten Laden");
    expect(outputs).toContain("O13 Laden aus dem Netz erlaubt ja");
    expect(read("outputs", house({ plan: planWith({ minutesToChargeStart: -1 }, []) }))).toContain("keine");
    const charging = house({ plan: planWith({ chargeNow: 1, minutesToChargeStart: 0 }, []) });
    expect(read("outputs", charging)).toContain("O6 Zeit bis zum nächsten Laden jetzt O7");
    expect(read("quota", house())).toContain("77 von 120");
  });

  it("names the next step where there is no plan", () => {
    const none = house({ plan: undefined, battery: null });
    expect(read("headline", none)).toContain("keine Batterie eingetragen");
    expect(render(h("div", {}, dashboardParts(none, "de", 24).steps))).toContain(
      'href="/settings/ems/battery"',
    );
    expect(read("saved", none)).toContain("braucht es eine Batterie oder ein Gerät");
    // A home with only a car is not advised to buy a battery.
    expect(read("steps", house({ plan: undefined, battery: null, slots: [{} as never] }))).toBe("");
    expect(read("headline", house({ plan: undefined, hours: undefined }))).toContain("noch keine Preise");
    const noSoc = house({ plan: undefined, live: {} });
    expect(read("headline", noSoc)).toContain("Der Ladestand fehlt");
    expect(read("steps", noSoc)).toContain("curl http://192.168.1.5:8080/v1/plant/telemetry");
    expect(read("steps", noSoc)).toContain("-h 192.168.1.5");
    expect(read("steps", noSoc)).toContain("-t hourgate/home/telemetry/soc_pct -m 55");
    expect(read("steps", house())).toBe("");
  });

  it("writes numbers and spans as people do", () => {
    const german = formatOf("de", "Europe/Vienna");
    expect(german.number(-0.001)).toBe("0,00");
    expect(german.number(-1234.5, 1)).toBe("−1\u00a0234,5");
    expect(german.number(null)).toBe("–");
    expect(german.minutes(1)).toBe("1 Minute");
    expect(german.minutes(220)).toBe("4 Stunden");
    const night = { start: new Date("2026-01-15T22:00:00Z"), end: new Date("2026-01-16T01:30:00Z") };
    expect(german.span(night, NOW)).toBe("heute 23:00–02:30");
    expect(formatOf("en", "Europe/Vienna").moment(new Date("2026-01-16T01:30:00Z"), NOW)).toBe(
      "tomorrow 02:30",
    );
  });

  it("serves every module that its scripts import, and nothing from elsewhere", () => {
    const assets = new Map(dashboardAssets().map(({ name, body }) => [name, String(body)]));
    for (const [name, text] of assets) {
      if (!name.startsWith("client/")) continue;
      const imported = [...text.matchAll(/^import .* from "\.\/(.+)";$/gm)].map(
        ([, file]) => `client/${file}`,
      );
      expect([...assets.keys()]).toEqual(expect.arrayContaining(imported));
      expect(text).not.toMatch(/https?:\/\//);
    }
    expect(assets.has("client/dashboard.js")).toBe(true);
  });
});
