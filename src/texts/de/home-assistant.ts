import type { englishHomeAssistant } from "../en/home-assistant.js";

export const germanHomeAssistant: typeof englishHomeAssistant = {
  model: "Energie-Gateway",
  entities: {
    price_eur: "Preis in EUR",
    price_signal: "Preissignal",
    next_charge: "Nächstes Laden",
    savings_today: "Ersparnis heute",
    savings_month: "Ersparnis in diesem Monat",
  },
  batterySoc: "Ladezustand",
  actuator: {
    state: "Zustand",
    confirmed: "bestätigt",
    problem: "Störung",
    writes: "Befehle heute",
    enabled: "aktiviert",
  },
  slot: {
    chargeNow: "jetzt laden",
    release: "Freigabe",
    nextStart: "nächster Start",
    setPower: "Sollleistung",
    plugged: "angesteckt",
    override: "Übersteuerung",
    overrideUntil: "Übersteuerung bis",
    fullBy: "voll bis",
    vehicleSoc: "Ladezustand des Fahrzeugs",
    sgReady: "SG Ready",
  },
};
