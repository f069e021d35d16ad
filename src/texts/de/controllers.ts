import type { englishLoxone } from "../en/controllers.js";

export const germanLoxone: typeof englishLoxone = {
  inputs: {
    OK: "Daten gültig",
    AGE: "Alter des Plans",
    SOC: "Ladestand",
    SOC_AGE: "Alter des Ladestands",
  },
  slotOn: (device) => `${device} ein`,
  slotStart: (device) => `${device} Start in`,
  slot: (number) => `Slot ${number}`,
  readings: {
    soc_pct: "Ladestand senden",
    import_kwh: "Zähler Bezug senden",
    export_kwh: "Zähler Einspeisung senden",
    pv_kwh: "Zähler PV senden",
    charge_kwh: "Zähler Batterie geladen senden",
    discharge_kwh: "Zähler Batterie entladen senden",
    pv_power_kw: "PV-Leistung senden",
    grid_power_kw: "Netzleistung senden",
    load_power_kw: "Haushaltsverbrauch senden",
    battery_power_kw: "Akkuleistung senden",
    ev_power_kw: "Wallboxleistung senden",
    ev_connected: "Auto angesteckt senden",
  },
};
