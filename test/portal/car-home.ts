import { parse } from "../../src/config/load.js";
import type { PlantSettings } from "../../src/config/settings.js";
import { fakeServices, slotSettings } from "../api/fake-services.js";
import { NOW, openPortal } from "./harness.js";

export const OWNER = "owner@example.org";

/** A car of 40 kWh at 50 %, charged with 10 kW without losses. */
const CAR = slotSettings({
  slot: 1,
  label: "Wallbox",
  power_kw: 10,
  min_run_minutes: 15,
  vehicle: {
    capacity_kwh: 40,
    min_soc_pct: 20,
    target_soc_pct: 80,
    departure: "07:00",
    min_power_kw: null,
    max_power_kw: null,
    phases: 3,
    efficiency_pct: 100,
    surplus: "prefer",
  },
});

/** A portal of a home with a car, planned by price: nothing but the price decides when it charges. */
export async function carHome() {
  const { settings } = parse("plants: [{ id: home, pv: [{ peak_kw: 8 }] }]");
  const slots = [{ ...CAR, optimise: "price" as const }];
  const services = fakeServices({
    now: NOW,
    slots,
    pv: settings.plants[0]!.pv as PlantSettings["pv"],
    deviceState: { socPct: 50 },
  });
  await services.flex.start();
  const portal = await openPortal({ services });
  await portal.addAccount(OWNER, { administrator: true });
  await portal.sites.change("home", { plant: { slots, pv: settings.plants[0]!.pv } });
  return {
    services,
    portal,
    plan: () => services.flex.current("home")[0]!,
    close: async () => {
      await portal.close();
      await services.flex.stop();
    },
  };
}
