import type { englishMeterPage } from "../en/meter-page.js";

export const germanMeterPage: typeof englishMeterPage = {
  title: "Zählerdaten",
  intro:
    "Laden Sie den Export der Viertelstundenwerte aus dem Portal Ihres Netzbetreibers hoch (CSV, XLSX, XLS, JSON, XML oder ZIP). Für Bezug und Einspeisung gibt es meist je eine Datei; mehrere Dateien können gemeinsam hochgeladen werden. hourgate verwendet die Werte für die Rechnung und für die Verbrauchsprognose.",
  upload: {
    title: "Dateien hochladen",
    files: "Zählerdateien",
    hint: "Höchstens 30 MB je Datei, auf einmal 40 MB und 10 Dateien. Gespeichert wird erst nach Ihrer Bestätigung.",
    drop: "Dateien können auch auf diese Seite gezogen werden.",
    site: "Anlage",
    submit: "Hochladen und prüfen",
    reading: "Die Dateien werden gelesen …",
    none: "Wählen Sie mindestens eine Datei.",
    tooLarge: (name, limitMb) =>
      `${name} ist größer als ${limitMb} MB; exportieren Sie einen kürzeren Zeitraum.`,
    tooMany:
      "Mehr als 10 Dateien warten auf die Bestätigung; importieren oder verwerfen Sie diese zuerst, oder wählen Sie weniger Dateien.",
    waitingTooLarge:
      "Die Dateien, die auf die Bestätigung warten, belegen mehr als 60 MB; importieren oder verwerfen Sie diese zuerst, oder exportieren Sie einen kürzeren Zeitraum.",
    busy: "Viele Dateien anderer Konten warten auf ihre Bestätigung; versuchen Sie es in 15 Minuten noch einmal.",
  },
  check: {
    title: "Prüfen und importieren",
    intro: (minutes) =>
      `Das enthalten die Dateien. Noch ist nichts gespeichert; die Dateien werden ${minutes} Minuten aufbewahrt.`,
    forSite: (site) => `Importiert wird für die Anlage ${site}.`,
    operator: "Netzbetreiber",
    unknownOperator: "nicht erkannt",
    meterPoint: "Zählpunkt",
    noMeterPoint: "nicht in der Datei",
    period: "Zeitraum",
    values: "Werte",
    rows: (count, minutes, label) =>
      `${count}, alle ${minutes} Minuten; die Zeiten sind ${label === "start" ? "der Beginn" : "das Ende"} des Intervalls`,
    energy: "Energie",
    counts: "Zeilen",
    missing: "fehlend",
    estimated: "geschätzt",
    doubled: "doppelt",
    dropped: "ausgelassen",
    remarks: "Hinweise",
    community: "Energiegemeinschaft",
    communityHint:
      "Name oder ID. Anteile verschiedener Gemeinschaften werden addiert, jene derselben ersetzen frühere.",
    use: "Importieren als",
    skip: "nicht importieren",
    several:
      "Diese Datei enthält mehrere Zähler für dieselbe Größe. Wählen Sie den Zähler dieser Anlage und lassen Sie die anderen aus.",
    submit: "Importieren",
    discard: "Verwerfen",
    discarded: "Die hochgeladenen Dateien wurden verworfen. Es wurde nichts gespeichert.",
    expired: "Die hochgeladenen Dateien sind nicht mehr vorhanden: Laden Sie sie noch einmal hoch.",
    nothing: "Wählen Sie mindestens eine Reihe zum Importieren.",
    twice: (file, quantity) =>
      `${file}: Nur eine Reihe kann als „${quantity}“ importiert werden. Wählen Sie eine und lassen Sie die andere aus.`,
    twoMeters: (quantity, files) =>
      `${files} enthalten „${quantity}“ verschiedener Zähler für dieselbe Zeit; eine Datei würde die andere ersetzen. Lassen Sie eine aus oder importieren Sie sie für eine andere Anlage.`,
    tooManyImports:
      "Diese Anlage hat 200 Importe, mehr sind nicht möglich. Entfernen Sie Importe, die nicht mehr gebraucht werden.",
    tooManyBytes: (limitMb) =>
      `Die Importe dieser Anlage würden mehr als ${limitMb} MB belegen. Entfernen Sie Importe, die nicht mehr gebraucht werden, oder importieren Sie einen kürzeren Zeitraum.`,
    imported: (count) =>
      count === 1 ? "Eine Datei wurde importiert." : `${count} Dateien wurden importiert.`,
    unreadable: "Diese Datei kann nicht gelesen werden",
  },
  columns: {
    title: "Spalten zuordnen",
    intro:
      "Das sind die ersten Zeilen der Datei. Geben Sie an, was die Spalten enthalten; die Datei wird dann noch einmal gelesen.",
    column: (number, text) => (text === "" ? `Spalte ${number}` : `Spalte ${number}: ${text}`),
    short: (number) => `Spalte ${number}`,
    none: "keine",
    time: "Datum und Uhrzeit",
    clock: "Uhrzeit, wenn sie in einer eigenen Spalte steht",
    of: (quantity) => `Werte: ${quantity}`,
    unit: "Einheit",
    power: (unit) => `${unit} (mittlere Leistung)`,
    label: "Die Zeit ist",
    start: "der Beginn des Intervalls",
    end: "das Ende des Intervalls",
    labelHint: "00:00 bis 23:45 an einem Tag: Beginn. 00:15 bis 00:00 des nächsten Tages: Ende.",
    submit: "Mit diesen Spalten lesen",
    preview: "Erste Zeilen der Datei",
    errors: {
      time: "Wählen Sie die Spalte mit Datum und Uhrzeit.",
      clock: "Die Uhrzeit muss in einer anderen Spalte stehen als das Datum.",
      values: "Wählen Sie für jede Größe eine andere Spalte und mindestens eine.",
      unit: "Wählen Sie eine Einheit.",
      label: "Wählen Sie Beginn oder Ende.",
    },
  },
  list: {
    title: "Importe",
    none: "Für diese Anlage wurden noch keine Zählerdaten importiert.",
    file: "Datei",
    importedAt: "Importiert",
    quantity: "Gespeichert als",
    period: "Zeitraum",
    energy: "Energie",
    gaps: "Fehlend",
    remove: "Entfernen",
    confirm: (file) => `Import von ${file} entfernen?`,
    confirmText:
      "Alle seine Werte werden gelöscht. Wo er einen früheren Import ersetzt hat, gelten dessen Werte wieder.",
    confirmYes: "Import entfernen",
    cancel: "Abbrechen",
    removed: (file) => `Der Import von ${file} wurde entfernt.`,
    usage: (used, most) => `Die Importe dieser Anlage belegen ${used} von ${most} MB.`,
    bill: "Rechnung eines Monats anzeigen",
  },
  quantities: {
    import: "Netzbezug",
    export: "Einspeisung",
    community: "Anteil aus der Energiegemeinschaft",
    residual: "Restnetzbezug nach Anteil der Gemeinschaft",
    generation: "Erzeugung",
    load: "Verbrauch des Haushalts",
    delivered: "Lieferung an die Energiegemeinschaft",
  },
};
