import type { englishPlausibility } from "../en/plausibility.js";

export const germanPlausibility: typeof englishPlausibility = {
  what: "Bitte prüfen",
  confirm: "Ja, das stimmt",
  sentences: {
    place_swapped: ({ value, meant }) =>
      `Breite ${value} und Länge ${meant} sind wohl vertauscht: Österreich liegt bei Breiten von 46 bis 49 und Längen von 9 bis 17.`,
    place_abroad: ({ value, meant }) =>
      `Breite ${value}, Länge ${meant} liegt nicht in Österreich. Die Preise sind die des österreichischen Markts.`,
    fraction: ({ value, meant }) => `${value} % ist sehr wenig. Sind ${meant} % gemeint?`,
    euro_per_kwh: ({ value, meant }) =>
      `${value} ct/kWh ist sehr wenig. Sind ${value} €/kWh gemeint? Das sind ${meant} ct/kWh.`,
    euro_per_mwh: ({ value, meant }) =>
      `${value} ct/kWh ist sehr viel. Sind ${value} €/MWh gemeint? Das sind ${meant} ct/kWh.`,
    vat_unusual: ({ value }) =>
      `${value} % Umsatzsteuer ist ungewöhnlich. In Österreich sind es 20 % auf Strom.`,
    watt: ({ value, meant }) => `${value} kW ist sehr viel. Sind ${value} W gemeint? Das sind ${meant} kW.`,
    watt_hours: ({ value, meant }) =>
      `${value} kWh ist sehr viel. Sind ${value} Wh gemeint? Das sind ${meant} kWh.`,
    power_large: ({ value, limit }) => `${value} kW ist mehr als hier üblich (bis ${limit} kW).`,
    power_small: ({ value, limit }) =>
      `${value} kW ist wenig für ${limit} kWh: Eine volle Ladung würde mehr als 20 Stunden dauern.`,
    above_grid: ({ value, limit }) => `${value} kW ist mehr, als der Netzanschluss erlaubt (${limit} kW).`,
    capacity_large: ({ value, limit }) => `${value} kWh ist mehr als üblich (bis ${limit} kWh).`,
    efficiency_low: ({ value }) =>
      `Ein Wirkungsgrad von ${value} % ist niedrig. Heimbatterien erreichen 80 bis 95 % für Laden und Entladen zusammen.`,
    wear_high: ({ value }) =>
      `Mit ${value} ct/kWh Verschleiß lohnt sich die Batterie kaum. Üblich sind 0,5 bis 5 ct/kWh.`,
    peak_large: ({ value, limit }) =>
      `${value} kWp ist mehr, als ein Wohnhaus üblicherweise hat (bis ${limit} kWp).`,
    tilt: ({ value }) =>
      `Eine Neigung von ${value}° ist unwahrscheinlich: 0 ist waagrecht, 30 ein übliches Dach, 90 eine Wand.`,
    faces_north: ({ value, meant }) =>
      `${value}° zeigt nach Norden. Süden ist hier 180; Programme, in denen Süden 0 ist, schreiben ${value} für ${meant}.`,
    inverter_small: ({ value, limit }) =>
      `${value} kW ist wenig für ${limit} kWp: Viel Ertrag ginge verloren.`,
    year_as_day: ({ value, meant }) =>
      `${value} kWh am Tag ist sehr viel. Ist es der Verbrauch eines Jahres? Das sind ${meant} kWh am Tag.`,
    day_small: ({ value }) => `${value} kWh am Tag ist sehr wenig. Ein üblicher Haushalt braucht 5 bis 20.`,
    energy_unreachable: ({ value, limit }) =>
      `${value} kWh sind im Zeitfenster des Geräts nicht möglich: Mit voller Leistung bezieht es darin ${limit} kWh.`,
    litres: ({ value }) =>
      `Ein Speicher mit ${value} Litern ist ungewöhnlich. Üblich sind 80 bis 1000 Liter.`,
  },
};
