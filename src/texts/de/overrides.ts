import type { englishOverrides } from "../en/overrides.js";

export const germanOverrides: typeof englishOverrides = {
  batteryOverride: {
    title: "Batterie",
    auto: "automatisch nach Plan",
    charging: (pct, until) => `lädt bis ${pct} %, längstens bis ${until}`,
    holding: (until) => `wird bis ${until} nicht entladen`,
  },
  overrideCost: {
    title: "Von Hand ändern",
    device: {
      run: (label, until) =>
        until === undefined ? `${label} läuft ab sofort.` : `${label} läuft ab sofort, bis ${until}.`,
      skip: (label, until) =>
        until === undefined ? `${label} bleibt aus.` : `${label} bleibt bis ${until} aus.`,
      full: (label, until) =>
        until === undefined ? `${label} wird fertig.` : `${label} bekommt die ganze Energie bis ${until}.`,
      auto: (label) => `${label} läuft wieder nach Plan.`,
      surplus: (label, until) =>
        until === undefined
          ? `${label} lädt nur mit Sonnenstrom.`
          : `${label} lädt bis ${until} nur mit Sonnenstrom.`,
    },
    target: (label, pct, until) => `${label} lädt bis ${until} auf ${pct} %.`,
    guest: (label, kwh, until) => `${label}: Ein Gast bekommt bis ${until} ${kwh} kWh.`,
    costs: (kwh, eur) => `${kwh} kWh um ${eur} €.`,
    atOnce: (eur) => `Jetzt wären es ${eur} €.`,
    noSun: "Bis dahin ist keine Sonne zu erwarten.",
    upTo: "bis",
    energy: "Energie",
    until: "bis",
    showCost: "Kosten zeigen",
    charge: (pct, until) =>
      `Die Batterie lädt ab sofort aus dem Netz, bis ${pct} %${until === undefined ? "" : `, spätestens bis ${until}`}.`,
    hold: (until) =>
      until === undefined
        ? "Die Batterie wird nicht entladen."
        : `Die Batterie wird bis ${until} nicht entladen.`,
    compared: (kwh, eur, planEur) => `${kwh} kWh um ${eur} €; der Plan würde dafür ${planEur} € zahlen.`,
    partly: (kwh, eur, planKwh, planEur) =>
      `${kwh} kWh um ${eur} €; der Plan enthält davon ${planKwh} kWh, um ${planEur} €.`,
    notPlanned: (kwh, eur) => `${kwh} kWh um ${eur} €, die der Plan nicht enthält.`,
    skipped: (kwh, eur) => `Der Plan hatte in dieser Zeit ${kwh} kWh um ${eur} €.`,
    nothingPlanned: "In dieser Zeit war nichts geplant: Es kostet nichts.",
    more: (eur) => `Das kostet in den nächsten 7 Tagen etwa ${eur} € mehr als der Plan.`,
    less: (eur) => `Das spart in den nächsten 7 Tagen etwa ${eur} € gegenüber dem Plan.`,
    noMore: "Das kostet nicht mehr als der Plan.",
    unknown: "Was es kostet, ist nicht bekannt: Die Leistung des Geräts oder der Plan fehlt.",
    confirm: "Bestätigen",
    cancel: "Abbrechen",
  },
  overrideRefused: {
    until: "Bitte eine Uhrzeit innerhalb der nächsten 7 Tage eingeben.",
    target_soc_pct:
      "Bitte einen Ladestand über dem aktuellen und höchstens den Höchstladestand der Einstellungen eingeben.",
    min_soc_pct:
      "Der Ladestand für sofort darf höchstens das Ziel sein, und der Ladestand des Autos muss bekannt sein.",
    energy_kwh: "Bitte eine Energie über 0 und höchstens 1000 kWh eingeben.",
    override: "Die Einstellungen der Anlage lassen das nicht zu.",
    slot_id: "Für diese Anlage ist keine Batterie eingetragen.",
  },
};
