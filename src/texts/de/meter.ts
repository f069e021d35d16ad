import type { MeterFault, MeterQuantity, MeterWarning } from "../../core/domain/meter.js";
import type { englishMeter } from "../en/meter.js";

const EXPECTED =
  "erwartet wird der Export der Viertelstundenwerte aus dem Portal eines österreichischen Netzbetreibers (CSV, XLSX, " +
  "XLS, JSON, XML oder ZIP) oder eine CSV-Datei mit den Spalten start_utc und import_kwh";

const names: Record<MeterQuantity, string> = {
  import: "Netzbezug",
  export: "Einspeisung",
  community: "Anteil aus der Energiegemeinschaft",
  residual: "Restnetzbezug",
  generation: "Erzeugung",
  load: "Eigenverbrauch",
  delivered: "Lieferung an die Energiegemeinschaft",
};

const KINDS: Readonly<Record<string, string>> = {
  PDF: "ein PDF-Dokument",
  image: "ein Bild",
  "HTML/XML": "ein HTML- oder XML-Dokument",
  JSON: "ein JSON-Dokument",
  binary: "eine Binärdatei",
};

function faultReason(fault: MeterFault): string {
  switch (fault.code) {
    case "empty":
      return `ist leer; ${EXPECTED}.`;
    case "wrong_kind":
      return `ist ${KINDS[fault.found] ?? fault.found}; ${EXPECTED}.`;
    case "encrypted":
      return "ist mit einem Passwort geschützt; öffnen Sie die Datei in einer Tabellenkalkulation und speichern Sie sie ohne Passwort.";
    case "unreadable_spreadsheet":
      return `ist eine beschädigte Tabelle oder ein anderes Archiv; ${EXPECTED}.`;
    case "too_large":
      return `ist zu groß: Gelesen werden höchstens ${fault.limitMb} MB; exportieren Sie einen kürzeren Zeitraum.`;
    case "too_many_files":
      return `ist ein Archiv mit mehr als ${fault.limit} Dateien; packen Sie weniger Dateien in ein Archiv.`;
    case "unknown_format":
      return `hat ein unbekanntes Format (Beginn: „${fault.header}“); ${EXPECTED}.`;
    case "too_slow":
      return "benötigt beim Lesen zu viel Zeit oder Speicher; exportieren Sie einen kürzeren Zeitraum.";
    case "no_times":
      return `enthält in Spalte ${fault.column} kein Datum mit Uhrzeit; wählen Sie die Spalte, in der es steht.`;
    case "label_unknown":
      return "lässt nicht erkennen, ob die Zeiten Beginn oder Ende der Viertelstunden sind; exportieren Sie ganze Tage oder benennen Sie die Spalten in start_utc und import_kwh um.";
    case "several_values":
      return "enthält zu denselben Zeiten verschiedene Werte: von mehreren Zählern oder Richtungen, ohne eine Spalte, die sie unterscheidet; exportieren Sie einen Zähler und eine Richtung.";
    case "wrong_magnitude":
      return `enthält viele Werte, die in einem Haushalt nicht vorkommen, bis zu ${fault.kwh} kWh in einem Intervall: Wahrscheinlich sind es Wh oder Zählerstände; geben Sie die Einheit und die Spalte mit der Energie der Intervalle an.`;
    case "day_values":
      return "enthält Tageswerte; erwartet werden Viertelstundenwerte: Aktivieren Sie diese bei Ihrem Netzbetreiber (Opt-in) und exportieren Sie Viertelstunden.";
    case "wrong_step":
      return `enthält alle ${fault.minutes} Minuten einen Wert; erwartet werden Werte alle 15, 30 oder 60 Minuten oder lückenlos alle 1, 5 oder 10 Minuten.`;
    case "wrong_unit":
      return `enthält Werte in ${fault.unit}; erwartet wird Energie in kWh: Wählen Sie beim Export kWh.`;
    case "no_values":
      return `enthält keine Werte; ${EXPECTED}.`;
  }
}

function warning(about: MeterWarning): string {
  switch (about.code) {
    case "gaps":
      return `Lücken: Intervalle ohne Wert zwischen dem ersten und dem letzten: ${about.count}.`;
    case "long_gap":
      return `Zwischen ${about.from} und ${about.to} gibt es keine Werte: Prüfen Sie, ob die Datei den gewünschten Zeitraum enthält.`;
    case "conflicting":
      return `${about.count} Intervalle kommen zweimal mit verschiedenen Werten vor; der erste Wert gilt.`;
    case "negative":
      return `${about.count} negative Werte wurden ausgelassen.`;
    case "unreadable":
      return `${about.count} Werte sind keine Zahlen und zählen als fehlend.`;
    case "impossible":
      return `${about.count} Werte sind mehr, als der Anschluss des Hauses übertragen kann, und zählen als fehlend, der erste um ${about.start} mit ${about.kwh} kWh. Sind sie richtig, stellen Sie die Sicherungen des Anschlusses ein (grid.connection_kw).`;
    case "parts_differ":
      return `In ${about.count} Zeilen ergeben die Teile nicht den Gesamtwert (Bezug = Restbezug + Anteil, Einspeisung = Rest + geliefert); es gilt der Gesamtwert.`;
    case "off_grid":
      return `${about.count} Zeilen beginnen nicht mit einer Viertelstunde und wurden ausgelassen.`;
    case "counter":
      return "Die Werte sind Zählerstände: Die Energie eines Intervalls ist die Differenz der Stände an seinem Ende und seinem Beginn.";
    case "signed":
      return "Die Spalte enthält negative Werte: Sie gelten als Einspeisung, positive als Bezug.";
    case "summed":
      return `Die Datei enthält alle ${about.minutes} Minuten einen Wert; sie werden zu ${about.toMinutes} Minuten zusammengefasst.`;
    case "hours":
      return `${about.count} Zeilen sind Stunden zwischen Viertelstunden; jede wird gleichmäßig auf ihre vier Viertelstunden verteilt.`;
    case "unit_assumed":
      return "Die Datei nennt keine Einheit; angenommen wird kWh. Prüfen Sie die Summe; ergänzen Sie eine andere Einheit in der Datei.";
    case "left_out_file":
      return `${about.file} im Archiv ist nicht als Zählerdatei lesbar und wurde ausgelassen.`;
    case "merged_hour":
      return `${about.date}: Die Stunde ab 02:00 steht einmal in der Datei und enthält die Energie beider Stunden der Zeitumstellung; jede erhält die Hälfte.`;
    case "label_assumed":
      return `Die Datei zeigt nicht eindeutig, ob ihre Zeiten Beginn oder Ende sind; angenommen wird ${about.label === "start" ? "Beginn" : "Ende"}.`;
    case "direction_assumed":
      return `Die Datei nennt die Richtung nicht eindeutig; angenommen wird ${names[about.direction]}. Wählen Sie eine andere Richtung, wenn das falsch ist.`;
    case "second_block":
      return "Die Datei enthält einen zweiten Block mit denselben Kennzahlen; er wird als Einspeisung gelesen.";
    case "empty_column":
      return `Die Spalte „${about.column}“ enthält keine Werte.`;
    case "already_imported":
      return "Diese Daten wurden bereits importiert; es ändert sich nichts.";
    case "overlaps":
      return `${about.count} Viertelstunden ersetzen jene des Imports ${about.id}; wird dieser Import entfernt, gelten sie wieder.`;
    case "adds":
      return `${about.count} Viertelstunden kommen zu jenen des Imports ${about.id} hinzu: Sie gehören zu einer anderen Gemeinschaft.`;
    case "replaces_share":
      return `${about.count} Viertelstunden ersetzen jene des Imports ${about.id}, weil nicht beide Dateien ihre Gemeinschaft nennen; eine andere Gemeinschaft benennen (--community NAME oder das Feld im Portal).`;
  }
}

export const germanMeter: typeof englishMeter = {
  fault: faultReason,
  warning,
};
