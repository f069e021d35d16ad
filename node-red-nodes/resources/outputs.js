// Generated from the gateway's catalogue of fields (npx vitest run test/edges/node-red/outputs.test.ts -u).
((catalogue) => {
  if (typeof module === "object" && module.exports) module.exports = catalogue;
  else window.hourgateOutputs = catalogue;
})({
  "outputs": {
    "O1": {
      "unit": "flag",
      "names": {
        "de": "jetzt laden, 0 oder 1",
        "en-US": "charge now, 0 or 1"
      }
    },
    "O2": {
      "unit": "kW",
      "names": {
        "de": "Ladeleistung jetzt, kW",
        "en-US": "charging power now, kW"
      }
    },
    "O3": {
      "unit": "h",
      "names": {
        "de": "benötigte Stunden",
        "en-US": "hours needed"
      }
    },
    "O4": {
      "unit": "h",
      "names": {
        "de": "heute benötigte Stunden",
        "en-US": "hours needed today"
      }
    },
    "O5": {
      "unit": "kWh",
      "names": {
        "de": "zu ladende Energie, kWh",
        "en-US": "energy to charge, kWh"
      }
    },
    "O6": {
      "unit": "min",
      "names": {
        "de": "Minuten bis zum nächsten Start",
        "en-US": "minutes to next start"
      }
    },
    "O7": {
      "unit": "quartile",
      "names": {
        "de": "Preisquartil, 1 bis 4",
        "en-US": "price quartile, 1 to 4"
      }
    },
    "O8": {
      "unit": "ct/kWh",
      "names": {
        "de": "Preis jetzt, ct/kWh",
        "en-US": "price now, ct/kWh"
      }
    },
    "O9": {
      "unit": "%",
      "names": {
        "de": "Ladestand am Ende des Ladens, %",
        "en-US": "charge stop SOC, %"
      }
    },
    "O10": {
      "unit": "flag",
      "names": {
        "de": "adaptive Entladung, 0/1",
        "en-US": "adaptive discharge, 0 or 1"
      }
    },
    "O11": {
      "unit": "%",
      "names": {
        "de": "Mindestladestand, %",
        "en-US": "minimum SOC, %"
      }
    },
    "O12": {
      "unit": "kW",
      "names": {
        "de": "Entladegrenze, kW",
        "en-US": "discharge cap, kW"
      }
    },
    "O13": {
      "unit": "flag",
      "names": {
        "de": "Netzladen erlaubt, 0/1",
        "en-US": "grid charging allowed, 0 or 1"
      }
    },
    "O14": {
      "unit": "kW",
      "names": {
        "de": "PV-Ladegrenze, kW",
        "en-US": "PV charge cap, kW"
      }
    },
    "O15": {
      "unit": "kW",
      "names": {
        "de": "Einspeisegrenze, kW; leer: keine",
        "en-US": "feed-in limit, kW; empty: none"
      }
    },
    "O16": {
      "unit": "kW",
      "names": {
        "de": "Entladung mit fester Leistung, kW",
        "en-US": "set discharge power, kW"
      }
    }
  },
  "event": [
    "issued_at",
    "hours_needed",
    "hours_needed_today",
    "energy_charge_kwh",
    "charge_hours_today",
    "hours_demand_url",
    "prefix_hours_needed_today",
    "prefix_period_hours_today",
    "prefix_energy_charge_kwh",
    "charge_now",
    "charge_stop_soc_pct",
    "discharge_power_kw",
    "discharge_reason",
    "adaptive_discharge",
    "min_soc_pct",
    "charge_power_kw",
    "grid_charge_allowed",
    "plan_hash",
    "charge_cap_kw",
    "charge_cap_reason",
    "feed_in_limit_kw",
    "discharge_set_kw"
  ],
  "limits": [
    "discharge_power_kw",
    "charge_cap_kw",
    "feed_in_limit_kw",
    "discharge_set_kw"
  ]
});
