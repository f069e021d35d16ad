import type { englishConfig } from "../en/config.js";

/** Units of the schema that are words. */
const UNITS: Readonly<Record<string, string>> = {
  "TCP port": "TCP-Port",
  calls: "Abfragen",
  "clock hour": "Uhrstunde",
  commands: "Befehle",
  degrees: "Grad",
  factor: "Faktor",
  hours: "Stunden",
  "kWh or share": "kWh oder Anteil",
  litres: "Liter",
  minutes: "Minuten",
  phases: "Phasen",
  seconds: "Sekunden",
  "shard number": "Nummer des Shards",
  "slot number": "Nummer des Slots",
  "the reading's unit": "Einheit des Messwerts",
  "times real time": "-fache Echtzeit",
  "user id": "Benutzernummer",
  weight: "Gewicht",
};

export const germanConfig: typeof englishConfig = {
  correct: (file, plants) => `${file ?? "Keine Datei, Standardwerte"}: in Ordnung. Anlagen: ${plants}.`,
  didYouMean: (word) => ` Ist „${word}“ gemeint?`,
  or: " oder ",
  allowed: {
    boolean: "true oder false",
    integer: "eine ganze Zahl",
    number: "eine Zahl",
    above: (limit) => `über ${limit}`,
    from: (limit) => `ab ${limit}`,
    fromTo: (low, high) => `von ${low} bis ${high}`,
    below: (limit) => `unter ${limit}`,
    to: (limit) => `bis ${limit}`,
    unit: (unit) => UNITS[unit] ?? unit,
    listOf: (count) => `eine Liste mit ${count} Einträgen`,
    list: (least, most) => {
      if (least === undefined && most === undefined) return "eine Liste";
      const limits = [
        ...(least === undefined ? [] : [`mindestens ${least}`]),
        ...(most === undefined ? [] : [`höchstens ${most}`]),
      ];
      return `eine Liste mit ${limits.join(" und ")} Einträgen`;
    },
    each: (entry) => `, jeweils ${entry}`,
    section: "ein Abschnitt mit Schlüsseln",
    text: (least, most) =>
      least !== undefined
        ? `ein Text mit ${most === undefined ? `mindestens ${least}` : `${least} bis ${most}`} Zeichen`
        : most === undefined
          ? "ein Text"
          : `ein Text mit höchstens ${most} Zeichen`,
    oneOf: (values) => `einer der Werte ${values}`,
    formats: {
      auto: "auto",
      path: "der Pfad einer Datei oder eines Ordners",
      "host-port": "ein Hostname oder eine IP-Adresse, mit oder ohne Port, zum Beispiel 192.168.1.40:80",
      host: "ein Hostname oder eine IP-Adresse",
      email: "eine E-Mail-Adresse",
      "http-url": "eine Adresse, die mit http:// oder https:// beginnt,",
      "mqtt-url": "eine Adresse, die mit mqtt://, mqtts://, ws:// oder wss:// beginnt,",
      "redis-url":
        "eine Adresse, die mit redis:// oder rediss:// beginnt, zum Beispiel redis://localhost:6379,",
      "postgres-url":
        "eine Adresse, die mit postgresql:// beginnt und mit dem Namen einer Datenbank endet, zum Beispiel postgresql://hourgate:geheim@localhost/hourgate,",
      network: "eine Adresse oder ein Netz wie 192.168.1.0/24",
      "base-path": "ein Pfad ohne Schrägstrich am Ende wie /hourgate, oder ingress",
      "url-path": "ein Pfad wie /node-red",
      time: "eine Zeit nach ISO 8601 wie 2026-01-15T06:00:00+01:00",
      "hour-minute": 'eine Uhrzeit als HH:MM wie "13:00"',
      "clock-time": 'eine Uhrzeit von "00:00" bis "24:00"',
      date: 'ein Datum als JJJJ-MM-TT wie "2026-01-01"',
      "time-zone": "eine IANA-Zeitzone wie Europe/Vienna",
      "iana-zone": "eine IANA-Zeitzone wie Europe/Vienna",
      cron: 'ein Cron-Muster wie "5 */6 * * *"',
      "month-range": 'zwei Monate von 1 bis 12 wie "4-9"',
      "weekday-range": 'zwei Wochentage von 1 (Montag) bis 7 wie "1-5"',
      "hour-range": 'eine Stunde von 0 bis 23 und eine von 0 bis 24 wie "10-16"',
      "plant-id": "1 bis 32 Zeichen aus a-z, 0-9, _ und -",
      "api-key": "hg_live_ und danach 43 Zeichen aus A-Z, a-z, 0-9, - und _",
      "mqtt-prefix": "ein Topic ohne + und #, ohne / am Anfang und Ende, das nicht mit evcc oder $ beginnt,",
      "mqtt-topic": "ein MQTT-Topic ohne Platzhalter",
      "mqtt-filter": "ein MQTT-Topic, in dem + für eine Ebene und # am Ende für alle darunter steht,",
    },
  },
  found: {
    nothing: "nichts",
    list: (count) => (count === 1 ? "eine Liste mit 1 Eintrag" : `eine Liste mit ${count} Einträgen`),
    section: "ein Abschnitt mit Schlüsseln",
    text: "ein Text",
    kind: (kind) => (kind === "number" ? "eine Zahl" : "true oder false"),
    quoted: (text) => `der Text ${JSON.stringify(text)}`,
  },
  schema: {
    must: (allowed, found) => `muss ${allowed} sein; gefunden: ${found}.`,
    quotes: " Bitte in Anführungszeichen setzen.",
    missing: (allowed) => (allowed === undefined ? "fehlt." : `fehlt: Es muss ${allowed} sein.`),
    unknown: "ist kein bekannter Schlüssel.",
    unknownHere: (path) => `ist hier kein bekannter Schlüssel. Ist „${path}“ gemeint?`,
    keyOfEntry: (list) =>
      `gehört in einen Eintrag einer Liste: Schreiben Sie „- “ vor den ersten Schlüssel von ${list}, und rücken Sie die anderen ebenso weit ein.`,
    unknownAmong: (known) => `ist kein bekannter Schlüssel; hier gibt es: ${known}.`,
  },
  file: {
    cannotRead: (fault, example) =>
      `nicht lesbar: ${fault} Geben Sie mit --config oder HOURGATE_CONFIG eine vorhandene Datei an, oder kopieren Sie das Beispiel ${example}; mit einer leeren Datei gelten die Standardwerte.`,
    readableByAll: (path, key) =>
      `${path} ist für alle Benutzer dieses Rechners lesbar und enthält ein Passwort oder einen Schlüssel (${key}): Führen Sie „chmod 600 ${path}“ aus; Eigentümer muss der Benutzer von hourgate sein.`,
    notSection:
      "muss ein Abschnitt mit Schlüsseln wie data_dir und http sein, jeder mit Doppelpunkt und seinem Wert.",
    unusable: (fault) => `nicht verwendbar: ${fault}`,
    secret: (fault) => `lässt sich nicht aus der Datei lesen: ${fault}`,
    empty: "Die Datei ist leer.",
    missing: (path) => `Die Datei ${path} gibt es nicht.`,
    folder: (path) => `${path} ist ein Ordner.`,
    tooLarge: (path, megabytes) => `${path} ist größer als ${megabytes} MB; ist es eine andere Datei?`,
    forbidden: (path) => `Dieser Benutzer darf ${path} nicht lesen; prüfen Sie die Zugriffsrechte.`,
    failed: (path, code) => `${path} lässt sich nicht öffnen (${code ?? "Grund unbekannt"}).`,
    missingOf: (path) =>
      `Die Datei ${path} gibt es nicht; geben Sie den Pfad einer Datei an, die hourgate lesen kann.`,
    unreadableOf: (reason) =>
      `Die Datei ist nicht lesbar (${reason}); geben Sie den Pfad einer Datei an, die hourgate lesen kann.`,
  },
  yaml: {
    unreadable: (reason) =>
      `nicht als YAML lesbar: ${reason ?? "Der Text ist unvollständig oder fehlerhaft"}.`,
    malformed: "nicht als YAML lesbar: zu tief verschachtelt oder fehlerhaft.",
    tooDeep:
      "zu tief verschachtelt, oder Anker und Verweise (* und &) bilden einen Kreis oder sind zu viele.",
    syntax: {
      BAD_ALIAS:
        "Ein Wert, der mit * beginnt, verweist auf einen Anker, den es hier nicht gibt; Text bitte in Anführungszeichen setzen",
      BAD_INDENT: "Die Einrückung passt nicht zu den Zeilen darüber",
      BAD_SCALAR_START:
        "Ein Wert beginnt mit einem Zeichen, das in YAML eine Bedeutung hat (@ ` % …); bitte in Anführungszeichen setzen",
      BLOCK_IN_FLOW: "Eine eingerückte Liste oder ein Abschnitt steht innerhalb von [ ] oder { }",
      DUPLICATE_KEY: "Derselbe Schlüssel steht zweimal in diesem Abschnitt; bitte einen entfernen",
      MISSING_CHAR: "Ein schließendes Anführungszeichen, eine Klammer oder ein Komma fehlt",
      MULTIPLE_DOCS: "Hier beginnt ein zweites Dokument (---); eine Datei enthält eine Konfiguration",
      TAB_AS_INDENT: "Mit einem Tabulator eingerückt; YAML erlaubt nur Leerzeichen",
      TAG_RESOLVE_FAILED:
        "Ein Wert, der mit ! beginnt, nennt einen unbekannten Tag; Text bitte in Anführungszeichen setzen",
      BAD_DIRECTIVE: "Eine Zeile, die mit % beginnt, nennt eine unbekannte Direktive",
      UNEXPECTED_TOKEN: "YAML erwartet diesen Text hier nicht",
      MULTILINE_IMPLICIT_KEY: "Ein Schlüssel und sein Wert gehen über mehrere Zeilen; fehlt ein Doppelpunkt?",
      BLOCK_AS_IMPLICIT_KEY:
        "In dieser Zeile steht ein zweiter Schlüssel; bitte eine neue Zeile beginnen oder den Wert in Anführungszeichen setzen",
    },
  },
  environment: {
    meant: (variable) => `ist kein bekannter Schlüssel. Ist ${variable} gemeint?`,
    twice: (variable) => `ist auch durch ${variable} gesetzt; bitte eine davon entfernen.`,
    ignored: (variable, meant) =>
      `${variable} wird nicht beachtet; Abschnitte werden mit zwei Unterstrichen verbunden: ${meant}.`,
    insideList: "liegt in einer Liste der Datei; bitte die Nummer eines Eintrags verwenden.",
    noEntry: (entry, count) =>
      `nennt den Eintrag ${entry} einer Liste mit ${count} Einträgen; der nächste hat die Nummer ${count}.`,
    insideValue: "liegt in einem Wert der Datei, der kein Abschnitt ist.",
  },
  tariff: {
    range: (example, found) => `muss ein Bereich wie ${example} sein, nicht „${found}“.`,
    time: (found) => `muss eine Uhrzeit wie 10:00 sein, nicht „${found}“.`,
    shares: "muss eine Zahl sein, oder 24 Zahlen nach Ortsstunden.",
    fixed: "fehlt: Ein fester Preis braucht es.",
    monthly: "fehlt: Bitte je Monat einen Preis angeben, zum Beispiel 2026-07: 9.4.",
    windows: "fehlt: Bitte die Zeitfenster mit ihren Preisen angeben.",
    unknown: (found) => `„${found}“ ist nicht bekannt.`,
    feedInFixed: "muss angegeben werden, wenn feed_in.type fixed ist.",
    factor: "fehlt: Der Typ factor braucht es.",
    start: "fehlt: Nur im ersten Zeitraum darf es fehlen.",
    hole: (date) =>
      `lässt eine Lücke: Der Zeitraum davor ist bis ${date} bekannt; bitte am Tag danach beginnen, einen Zeitraum ergänzen oder dessen known_until weglassen.`,
    after: (date) => `muss nach ${date} liegen, dem Beginn des Zeitraums davor.`,
    none: "braucht mindestens einen Zeitraum.",
  },
  rules: {
    fleetNeeds: (keys) => `braucht auch ${keys}.`,
    fleetAddress:
      "muss mit http:// beginnen: Verbindungen der Router verschlüsselt die Flotte selbst, ohne Zertifikate.",
    fleetExcludes: "muss in einer Flotte null sein: jeder Teil hat einen eigenen Wert.",
    basePath: "braucht die Adresse des Proxys in http.trust_proxy.",
    proxies:
      "muss die Adressen oder Netze der Proxys nennen, zum Beispiel [127.0.0.1]; mit true könnte jeder Client seine Adresse selbst wählen.",
    ports: (other, port) => `muss sich von ${other} unterscheiden; beide sind ${port}.`,
    severalBatteries: (ids) =>
      `nennt battery, aber die Anlage hat mehrere (${ids}): Ein Gerät ist für die einzige Batterie einer Anlage. Die Messwerte jeder Batterie unter ihrer Kennung senden, oder battery statt batteries setzen.`,
    readTwice: (role, other) =>
      `nennt ${role}, das bereits das Gerät ${other} liest: bitte bei einem der beiden entfernen oder bei dem, das nur als Ersatz dient, fallback: true setzen.`,
    unique: (other, value) => `muss eindeutig sein; ${other} ist ebenfalls ${value}.`,
    below: (other, limit, found) => `muss kleiner als ${other} (${limit}) sein; gefunden: ${found}.`,
    notBelow: (other, limit, found) => `darf nicht kleiner als ${other} (${limit}) sein; gefunden: ${found}.`,
    notAbove: (other, limit, found) =>
      `darf nicht größer als ${other ?? "die maximale Ladeleistung"} (${limit}) sein; gefunden: ${found}.`,
    batteryAndBatteries:
      "ist nicht zusammen mit batteries möglich: bitte dort als Eintrag mit einer id einfügen.",
    location: "fehlt: latitude und longitude werden gemeinsam angegeben.",
    feedInPrice: "fehlt: Ein fester Einspeisepreis braucht ct_kwh.",
    noWeight: "braucht mindestens ein Gewicht über 0.",
    noShare: "braucht mindestens einen Wert über 0.",
    hole: (month, weekday, time, key) =>
      `lassen eine Lücke (Monat ${month}, Wochentag ${weekday}, ${time}): bitte als erstes ein Zeitfenster ohne Zeiten ergänzen, oder ${key}.ct_kwh für die übrigen Zeiten.`,
    plantId: (ids) => `muss die id einer Anlage sein (${ids}).`,
    together: (other) => `ist nicht zusammen mit ${other} möglich; bitte eines entfernen.`,
    noBatteries: "muss entfallen: Die Anlage hat keine Einträge in batteries.",
    batteryId: (ids) => `muss die id eines Eintrags in batteries sein (${ids}).`,
    inverterId: (id, ids) =>
      ids === ""
        ? `braucht einen Eintrag mit seiner Leistung in inverters der Anlage, zum Beispiel inverters: [{ id: ${id}, kw: 5 }].`
        : `muss die id eines Eintrags in inverters sein (${ids}).`,
    inverterUnused: (id) =>
      `wird von keiner PV-Fläche genannt: bitte inverter: ${id} bei seinen Flächen in pv setzen, oder den Eintrag entfernen.`,
    inverterKw: (id) =>
      `ist nicht zusammen mit inverter möglich: Es gilt kw von ${id} in inverters; bitte eines entfernen.`,
    reading: (where, allowed, found) =>
      `${{ battery: "mit battery", site: "ohne slot", slot: "mit slot" }[where]} muss es einer der Werte ${allowed} sein; gefunden: ${found}.`,
    token: "fehlt: entsoe braucht token oder token_file.",
    meaningless: (type, instead) => `hat beim Typ ${type} keine Bedeutung; bitte ${instead} setzen.`,
    windowHours: "fehlt: window_start_hour und window_end_hour werden gemeinsam angegeben.",
    energyAndHours: "ist nicht zusammen mit energy_kwh möglich; bitte eines entfernen.",
    onlyKind: (kind, found) => `ist nur bei kind ${kind} möglich; gefunden: ${found}.`,
    departure: 'braucht für mindestens einen Wochentag eine Uhrzeit, zum Beispiel { mon: "07:00" }.',
    storePower: "fehlt: Ein Speicher braucht die Leistung seines Heizstabs.",
  },
};
