import type { PlanFieldTexts } from "../plan-fields.js";

export const germanPlanFields: PlanFieldTexts = {
  charge_now: {
    portal: "Laden jetzt",
    homeAssistant: "Jetzt laden",
    loxone: "Akku laden",
    nodeRed: "jetzt laden, 0 oder 1",
  },
  charge_power_kw: {
    portal: "Ladeleistung jetzt",
    homeAssistant: "Ladeleistung",
    loxone: "Ladeleistung",
    nodeRed: "Ladeleistung jetzt, kW",
  },
  hours_needed: {
    portal: "Ladestunden gesamt",
    homeAssistant: "Benötigte Ladestunden",
    loxone: "Ladestunden gesamt",
    nodeRed: "benötigte Stunden",
  },
  hours_needed_today: {
    portal: "Ladestunden heute",
    homeAssistant: "Benötigte Ladestunden heute",
    loxone: "Ladestunden heute",
    nodeRed: "heute benötigte Stunden",
  },
  energy_charge_kwh: {
    portal: "Zu ladende Energie",
    homeAssistant: "Zu ladende Energie",
    loxone: "Ladeenergie",
    nodeRed: "zu ladende Energie, kWh",
  },
  minutes_to_start: {
    portal: "Zeit bis zum nächsten Laden",
    loxone: "Minuten bis Laden",
    nodeRed: "Minuten bis zum nächsten Start",
  },
  price_quartile: {
    portal: "Preisviertel jetzt (1 günstig, 4 teuer)",
    homeAssistant: "Preisquartil",
    loxone: "Preisviertel",
    nodeRed: "Preisquartil, 1 bis 4",
  },
  price_now_ct_kwh: {
    portal: "Preis jetzt",
    homeAssistant: "Preis",
    loxone: "Strompreis",
    nodeRed: "Preis jetzt, ct/kWh",
  },
  charge_stop_soc_pct: {
    portal: "Ladestand am Ende des Ladens",
    homeAssistant: "Ladestand am Ende des Ladens",
    loxone: "Laden bis Ladestand",
    nodeRed: "Ladestand am Ende des Ladens, %",
  },
  adaptive_discharge: {
    portal: "Entladen wird gesteuert",
    homeAssistant: "Adaptive Entladung",
    loxone: "Entladung angepasst",
    nodeRed: "adaptive Entladung, 0/1",
  },
  min_soc_pct: {
    portal: "Mindestladestand",
    homeAssistant: "Mindestladestand",
    loxone: "Mindestladestand",
    nodeRed: "Mindestladestand, %",
  },
  discharge_power_kw: {
    portal: "Maximale Entladeleistung",
    homeAssistant: "Entladegrenze",
    loxone: "Entladegrenze",
    nodeRed: "Entladegrenze, kW",
  },
  grid_charge_allowed: {
    portal: "Laden aus dem Netz erlaubt",
    homeAssistant: "Netzladen erlaubt",
    loxone: "Netzladen erlaubt",
    nodeRed: "Netzladen erlaubt, 0/1",
  },
  charge_cap_kw: {
    portal: "Maximale Ladeleistung aus PV-Überschuss",
    homeAssistant: "Grenze der PV-Ladung",
    loxone: "PV-Ladegrenze",
    nodeRed: "PV-Ladegrenze, kW",
  },
  feed_in_limit_kw: {
    portal: "Maximale Einspeiseleistung",
    homeAssistant: "Einspeisegrenze",
    loxone: "Einspeisegrenze",
    nodeRed: "Einspeisegrenze, kW; leer: keine",
  },
  discharge_set_kw: {
    portal: "Vorgegebene Entladeleistung",
    homeAssistant: "Sollwert der Entladung",
    loxone: "Vorgegebene Entladeleistung",
    nodeRed: "Entladung mit fester Leistung, kW",
  },
  discharge_reason: {
    homeAssistant: "Grund der Entladegrenze",
  },
  charge_cap_reason: {
    homeAssistant: "Grund der Grenze der PV-Ladung",
  },
  soc_age_minutes: {
    homeAssistant: "Alter des Ladestands",
  },
  soc_stale: {
    homeAssistant: "Ladestand veraltet",
  },
  import_target_kw: {
    homeAssistant: "Bezugsziel",
  },
  following: {
    homeAssistant: "Folgt den Befehlen",
  },
  following_cause: {
    homeAssistant: "Folgt nicht: Ursache",
  },
};
