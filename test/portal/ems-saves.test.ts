import { describe, expect, it } from "vitest";
import { type EmsHome, eachWithHome } from "./ems-home.js";

describe("saves of the EMS settings", () => {
  let home: EmsHome;
  eachWithHome((one) => {
    home = one;
  });

  it("save a section, say what has changed and what it does to the plan, and let it go back to the file", async () => {
    const saved = await home.ask("POST", "/settings/ems", {
      "battery.capacity_kwh": "12,5",
      "battery.min_soc_pct": "15",
      "battery.export_allowed": "true",
    });
    expect(saved).toMatchObject({ redirect: "/settings/ems/battery" });
    expect(home.changed).toEqual(["home"]);
    expect(home.sites.get("home")?.plant.battery).toMatchObject({
      capacity_kwh: 12.5,
      min_soc_pct: 15,
      reserve_pct: 5,
    });
    const { html } = await home.ask("GET", "/settings/ems/battery");
    expect(html).toContain("Nutzbare Kapazität: 10 → 12,5 kWh</li><li>Minimaler Ladestand: 10 → 15 %");
    expect(html).toMatch(/aus der Batterie[^<]*: nein → ja</);
    expect(html).toContain("Erwartete Kosten der nächsten 7 Tage: 10,00 → 12,50 €.");
    expect(html).toContain('value="12,5"');
    const asked = await home.ask("GET", "/settings/ems/battery?reset=battery");
    const [, seen = ""] = /name="seen" value="([^"]+)"/.exec(asked.html) ?? [];
    await home.ask("POST", "/settings/ems", { reset: "battery", seen });
    expect(home.sites.get("home")?.plant.battery).toMatchObject({ capacity_kwh: 10 });
    expect((await home.ask("GET", "/settings/ems/battery")).html).not.toContain("?reset=");
    await home.ask("POST", "/settings/ems", { "battery.capacity_kwh": "10" });
    expect((await home.ask("GET", "/settings/ems/battery")).html).toContain("Nichts geändert");
  });

  it("say that the plan is being recalculated until it is", async () => {
    let finish = () => {};
    home.history = home.openHistory({ waitMs: 0 });
    home.planned = new Promise((resolve) => {
      finish = resolve;
    });
    await home.ask("POST", "/settings/ems", { "battery.capacity_kwh": "20" });
    const early = await home.ask("GET", "/settings/ems/battery");
    expect(early.html).toContain("Der Plan wird neu berechnet.");
    expect(early.html).not.toContain("€");
    finish();
    await home.history.stop();
    home.history = home.openHistory();
    await home.ask("POST", "/settings/ems", { "load.daily_kwh": "9" });
    // The script that looks for the result does not take the notice of the next save.
    expect((await home.ask("GET", "/settings/ems/battery?look=1")).html).toContain("Plan neu berechnet.");
    expect((await home.ask("GET", "/settings/ems/load")).html).toContain("Gespeichert");
    const { html } = await home.ask("GET", "/settings/ems/battery");
    expect(html).toContain("Plan neu berechnet. Erwartete Kosten der nächsten 7 Tage: 10,00 → 20,00 €.");
    // Without a battery there is no plan, and none was recalculated.
    await home.ask("POST", "/settings/ems", { remove: "battery" });
    expect((await home.ask("GET", "/settings/ems/battery")).html).toContain("Noch kein Plan:");
  });

  it("undo exactly what a save replaced, also after a restart; another change of the section forbids it", async () => {
    const before = structuredClone(home.sites.settings("home"));
    await home.ask("POST", "/settings/ems", { "battery.capacity_kwh": "12,5" });
    await home.ask("POST", "/settings/ems", { "load.daily_kwh": "9" });
    const first = await home.ask("GET", "/settings/ems/battery");
    home.history = home.openHistory();
    expect(await home.undo(first.html)).toMatchObject({ redirect: "/settings/ems/battery" });
    expect(home.sites.settings("home").plant).toEqual({ ...before.plant, load: expect.anything() });
    const undone = await home.ask("GET", "/settings/ems/battery");
    expect(undone.html).toContain("Rückgängig gemacht");
    expect(undone.html).toContain("12,5 → 10 kWh");
    // The change is replaced by its undoing.
    expect(await home.undo(first.html)).toMatchObject({ status: 409 });
    await home.ask("POST", "/settings/ems", { "battery.capacity_kwh": "11" });
    const second = await home.ask("GET", "/settings/ems/battery");
    await home.sites.change("home", { plant: { battery: { capacity_kwh: 7 } } });
    const refused = await home.undo(second.html);
    expect(refused).toMatchObject({ status: 409 });
    expect(refused.html).toContain("Dieselben Einstellungen wurden seither geändert");
    expect(home.sites.get("home")?.plant.battery).toMatchObject({ capacity_kwh: 7 });
    home.wallMs += 24 * 3_600_000;
    expect((await home.undo(second.html)).html).toContain("Sie ist zu alt");
    expect((await home.ask("GET", "/settings/ems/battery")).html).not.toContain("/undo");
    // What a change replaced may contain passwords: it is deleted then.
    await home.history.clean();
    expect(await home.store.documents.get("settings-history/home")).toBeUndefined();
  });

  it("ask before a row is removed, and refuse if the rows have changed since", async () => {
    await home.ask("POST", "/settings/ems", { "pv.0.peak_kw": "6" });
    await home.ask("POST", "/settings/ems", { "pv.1.peak_kw": "3", "pv.1.azimuth_deg": "90" });
    expect((await home.ask("GET", "/settings/ems/pv")).html).toContain(
      "Fläche 2 hinzugefügt (3 kWp, Ost, 30°)",
    );
    // A row is saved by itself: the others stay as they are.
    await home.ask("POST", "/settings/ems", { "pv.1.peak_kw": "4" });
    expect(home.sites.get("home")?.plant.pv).toMatchObject([{ peak_kw: 6 }, { peak_kw: 4, azimuth_deg: 90 }]);
    const { html } = await home.ask("GET", "/settings/ems/pv?remove=pv.0");
    expect(html).toContain("Fläche 1 entfernen?");
    expect(html).toContain("6 kWp, Süd, 30°");
    const [, seen = ""] = /name="seen" value="([^"]+)"/.exec(html) ?? [];
    await home.sites.change("home", { plant: { pv: [{ peak_kw: 4 }, { peak_kw: 6 }] } });
    const refused = await home.ask("POST", "/settings/ems", { remove: "pv.0", seen });
    expect(refused).toMatchObject({ status: 409 });
    expect(home.sites.get("home")?.plant.pv).toHaveLength(2);
    // Programs remove without asking.
    await home.ask("POST", "/settings/ems", { remove: "pv.0" });
    expect(home.sites.get("home")?.plant.pv).toMatchObject([{ peak_kw: 6 }]);
    expect((await home.ask("GET", "/settings/ems/pv")).html).toContain("Fläche 1 entfernt (4 kWp, Süd, 30°)");
    expect((await home.ask("GET", "/settings/ems/pv?remove=pv.7")).html).not.toContain('name="remove"');
  });

  it("set the power of a shared inverter with the arrays, and undo both", async () => {
    const fields = { "pv.0.peak_kw": "6", "pv.0.inverter": "Dach", "pv.0.inverter_kw": "5" };
    await home.ask("POST", "/settings/ems", fields);
    await home.ask("POST", "/settings/ems", { "pv.1.peak_kw": "6", "pv.1.inverter": "Dach" });
    expect(home.sites.get("home")?.plant.inverters).toEqual([{ id: "Dach", kw: 5 }]);
    await home.ask("POST", "/settings/ems", { "pv.0.inverter_kw": "4,6" });
    expect(home.sites.get("home")?.plant.inverters).toEqual([{ id: "Dach", kw: 4.6 }]);
    const { html } = await home.ask("GET", "/settings/ems/pv");
    const row = await home.ask("GET", "/settings/ems/pv?row=1");
    expect(row.html).toMatch(/name="pv.1.inverter_kw"[^>]* value="4,6"/);
    expect(await home.undo(html, "pv")).toMatchObject({ redirect: "/settings/ems/pv" });
    expect(home.sites.get("home")?.plant).toMatchObject({
      pv: [{ inverter: "Dach" }, { inverter: "Dach" }],
      inverters: [{ id: "Dach", kw: 5 }],
    });
    // An unlikely power is asked about at the array.
    const { html: now } = await home.ask("GET", "/settings/ems/pv?row=1");
    const [, held = ""] = /name="held" value="([^"]*)"/.exec(now)!;
    const typed = { "pv.1.inverter_kw": "4600", held: held.replaceAll("&quot;", '"') };
    const unlikely = await home.ask("POST", "/settings/ems", typed);
    expect(unlikely.html).toContain("Fläche 1, Wechselrichter (kW): 4600 kW ist sehr viel");
  });

  it("refuse a save of a page that is older than a save elsewhere, with the present values and what was typed", async () => {
    const heldIn = ({ html }: { html: string }) =>
      (/name="held" value="([^"]*)"/.exec(html)?.[1] ?? "").replaceAll("&quot;", '"');
    const held = heldIn(await home.ask("GET", "/settings/ems/battery"));
    expect(held).toContain('"battery.capacity_kwh":"10"');
    await home.ask("POST", "/settings/ems", { "battery.capacity_kwh": "12,5", held });
    const second = { "battery.capacity_kwh": "10", "battery.min_soc_pct": "20" };
    const refused = await home.ask("POST", "/settings/ems", { ...second, held });
    expect(refused).toMatchObject({ status: 409 });
    expect(refused.html).toContain("Nicht gespeichert: Diese Einstellungen wurden inzwischen geändert");
    expect(refused.html).toMatch(/name="battery.capacity_kwh"[^>]* value="12,5"/);
    expect(refused.html).toMatch(/name="battery.min_soc_pct"[^>]* value="20"/);
    expect(home.sites.get("home")?.plant.battery).toMatchObject({ capacity_kwh: 12.5, min_soc_pct: 10 });
    const again = { "battery.capacity_kwh": "12,5", "battery.min_soc_pct": "20", held: heldIn(refused) };
    expect(await home.ask("POST", "/settings/ems", again)).toMatchObject({
      redirect: "/settings/ems/battery",
    });
    expect(home.sites.get("home")?.plant.battery).toMatchObject({ capacity_kwh: 12.5, min_soc_pct: 20 });
    // A double click, or the back button and the same values.
    expect(await home.ask("POST", "/settings/ems", again)).toMatchObject({
      redirect: "/settings/ems/battery",
    });
    expect(await home.ask("POST", "/settings/ems", { ...again, "battery.capacity_kwh": "13" })).toMatchObject(
      {
        status: 409,
      },
    );
  });

  it("fill the fields of a battery from its model, but not what was typed", async () => {
    const { html } = await home.ask("GET", "/settings/ems/battery");
    expect(html).toMatch(/<option value="own" selected>eigene Werte/);
    await home.ask("POST", "/settings/ems", {
      "battery.model": "gen24_hvs_10",
      "battery.max_charge_power_kw": "6",
    });
    expect(home.sites.get("home")?.plant.battery).toMatchObject({
      capacity_kwh: 10.24,
      max_charge_power_kw: 6,
      max_discharge_power_kw: 9,
    });
    await home.ask("POST", "/settings/ems", { "battery.model": "gen24_hvs_10" });
    expect(home.sites.get("home")?.plant.battery).toMatchObject({ max_charge_power_kw: 9 });
    expect((await home.ask("GET", "/settings/ems/battery")).html).toMatch(/value="gen24_hvs_10" selected/);
    const refused = await home.ask("POST", "/settings/ems", { "battery.model": "none" });
    expect(refused).toMatchObject({ status: 422 });
    expect(refused.html).toContain("Bitte einen Eintrag der Liste wählen.");
  });

  it("take a time and its weekdays, and say them", async () => {
    const car = { "slots.1.device": "wallbox", "slots.1.vehicle.capacity_kwh": "40" };
    await home.ask("POST", "/settings/ems", car);
    const { html } = await home.ask("GET", "/settings/ems/slots?row=1");
    expect(html.match(/class="pill"/g)).toHaveLength(14);
    const departure = "slots.1.vehicle.departure";
    const days = (index: number, names: string[]): [string, string][] =>
      names.map((day) => [`${departure}.${index}.days`, day]);
    await home.askAll("POST", "/settings/ems", [
      [`${departure}.0.time`, "07:00"],
      ...days(0, ["mon", "tue", "wed", "thu", "fri", "sat"]),
      [`${departure}.1.time`, "09:00"],
      ...days(1, ["sun"]),
    ]);
    expect(home.sites.get("home")?.plant.slots[0]?.vehicle?.departure).toMatchObject({
      mon: "07:00",
      sun: "09:00",
    });
    expect((await home.ask("GET", "/settings/ems")).html).toContain(
      "Das Auto (40 kWh) soll Mo–Sa um 07:00, So um 09:00 bei 80 % sein.",
    );
    const none = await home.askAll("POST", "/settings/ems", [[`${departure}.0.time`, "07:00"]]);
    expect(none).toMatchObject({ status: 422 });
  });
});
