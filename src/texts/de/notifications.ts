import type { englishNotifications } from "../en/notifications.js";

export const germanNotifications: typeof englishNotifications = {
  title: "Benachrichtigungen",
  intro:
    "hourgate meldet sich, wenn etwas Ihre Aufmerksamkeit braucht: höchstens eine Nachricht jeder Art pro Anlage und Tag. Änderungen auf dieser Seite lassen sich nicht rückgängig machen.",
  what: "Was gemeldet wird",
  kinds: {
    actuator_failed: {
      label: "Ein Gerät reagiert nicht",
      hint: "Ein gesteuertes Gerät ist seit fünf Minuten gestört oder nicht erreichbar.",
    },
    battery_not_following: {
      label: "Die Batterie folgt den Befehlen nicht",
      hint: "Mit der wahrscheinlichen Ursache.",
    },
    telemetry_lost: {
      label: "Messwerte bleiben aus",
      hint: "Der Ladestand ist so alt, dass die Batterie zur Sicherheit nicht geladen wird.",
    },
    negative_prices: {
      label: "Negative Preise am nächsten Tag",
      hint: "Sobald die Preise des nächsten Tages veröffentlicht sind: von wann bis wann und wie niedrig.",
    },
    weekly_story: {
      label: "Wochenrückblick",
      hint: "Montags: was gespart wurde, die billigste genutzte Stunde, wo die Prognose danebenlag, und ein Vorschlag mit seinem Wert.",
    },
    monthly_report: {
      label: "Monatsbericht",
      hint: "Am Monatsersten: Ersparnis und, mit eingetragenem Tarif, die Rechnung des Vormonats.",
    },
  },
  quietAndLanguage: (from, to) =>
    `Ruhezeit (${from === "" && to === "" ? "keine" : `${from} bis ${to}`}) und Sprache`,
  quietNote:
    "In dieser Zeit wird nichts gesendet; es gilt die Zeitzone der Anlage. Was danach noch zutrifft, wird dann gesendet. Für keine Ruhezeit beide Felder leer lassen.",
  from: "Von",
  to: "Bis",
  language: "Sprache der Nachrichten",
  languages: { de: "Deutsch", en: "Englisch" },
  channels: { email: "E-Mail", ntfy: "ntfy", webhook: "Webhook" },
  channelState: (channel, isOn) => `${channel}: ${isOn ? "ein" : "aus"}`,
  enabled: {
    email: "Per E-Mail senden",
    ntfy: "An ntfy senden",
    webhook: "An einen Webhook senden",
  },
  address: "E-Mail-Adresse",
  addressNote: (email) => `Die Nachrichten gehen an ${email}, die Adresse des Kontos.`,
  noMailServer:
    "Dieses Gateway hat keinen Mailserver und kann keine E-Mails senden. Der Administrator trägt ihn in der Konfiguration ein (smtp).",
  server: "Server",
  serverHint: {
    public: "Zum Beispiel https://ntfy.sh.",
    local: "Zum Beispiel https://ntfy.sh, oder http://192.168.1.20:8090 für einen Server im eigenen Netz.",
  },
  topic: "Topic",
  topicHint:
    "Buchstaben, Ziffern, - und _. Auf einem öffentlichen Server einen Namen wählen, den niemand errät: Wer ihn kennt, liest mit.",
  token: "Zugriffstoken",
  tokenHint: "Nur wenn der Server eines verlangt. Es wird nicht wieder angezeigt.",
  tokenStored: "Ein Token ist gespeichert. Das Feld leer lassen, um es zu behalten.",
  tokenRemove: "Gespeichertes Token entfernen",
  url: "URL",
  urlHint:
    "HTTPS. Jede Nachricht wird als JSON gesendet und wie die Ereignisse des Webhooks für Entwickler signiert.",
  secret: "Signaturgeheimnis des Webhooks, nur jetzt sichtbar:",
  secretStored: "Ein Signaturgeheimnis ist gespeichert.",
  secretRenew: "Neues Signaturgeheimnis erzeugen",
  save: "Speichern",
  saved: "Die Einstellungen sind gespeichert.",
  test: "Speichern und Test senden",
  tested: {
    email: (address) => `Der Mailserver hat eine Test-E-Mail an ${address} angenommen.`,
    ntfy: () => "Der ntfy-Server hat die Testnachricht angenommen.",
    webhook: () => "Der Webhook hat die Testnachricht angenommen.",
  },
  testFailed: (channel, reason) => `Die Testnachricht (${channel}) ist nicht angekommen: ${reason}`,
  errors: {
    time: "Bitte eine Uhrzeit wie 22:00 eingeben oder beide Felder leer lassen.",
    address: "Bitte eine E-Mail-Adresse eingeben, zum Beispiel anna@example.com.",
    topic: "Bitte ein Topic aus höchstens 64 Buchstaben, Ziffern, - und _ eingeben.",
    token: "Bitte das Token ohne Leerzeichen eingeben, höchstens 200 Zeichen.",
    language: "Bitte eine Sprache aus der Liste wählen.",
    url_invalid: "Bitte eine vollständige Adresse eingeben, zum Beispiel https://example.com.",
    url_not_https: "Die Adresse muss mit https:// beginnen.",
    url_not_https_public: "Ein Server außerhalb des eigenen Netzes braucht https://.",
    url_with_credentials: "Bitte Benutzernamen und Passwort in der Adresse weglassen.",
    host_not_public:
      "Der Host liegt in einem privaten Netz. Bitte einen im Internet eingeben, oder der Administrator erlaubt private Hosts (webhooks.allow_private_hosts).",
  },
  faults: {
    no_mail_server: "Es ist kein Mailserver konfiguriert (smtp).",
    mail_rejected: "Der Mailserver hat sie nicht angenommen. Bitte E-Mail-Adresse und Mailserver prüfen.",
    unauthorized: "Der Server lehnt die Anmeldung ab. Bitte Topic und Zugriffstoken prüfen.",
    limited: "Der Server nimmt vorerst keine weiteren Nachrichten an. Bitte später erneut versuchen.",
    refused: "Der Server antwortet mit einem Fehler. Bitte die Adresse prüfen.",
    redirect: "Der Server leitet an eine andere Adresse weiter. Bitte diese Adresse eingeben.",
    timeout: "Der Server antwortet nicht rechtzeitig.",
    not_public: "Die Adresse liegt in einem privaten Netz, was hier nicht erlaubt ist.",
    unknown_host: "Der Name des Servers ist unbekannt. Bitte die Adresse prüfen.",
    certificate:
      "Es gibt keine sichere Verbindung: Das Zertifikat passt nicht, ist nicht vertrauenswürdig oder abgelaufen.",
    unreachable: "Der Server ist nicht erreichbar. Bitte Adresse und Netzwerk prüfen.",
    overflow: "Es warten zu viele Nachrichten.",
    stopped: "Das Gateway wurde vor der Antwort angehalten.",
  },
  preview: "Wochenrückblick: die letzten sieben Tage",
  previewNone: "Es gibt noch keinen Rückblick: In den letzten sieben Tagen wurde nichts gemessen.",
  recent: "Letzte Nachrichten",
  none: "Es wurde noch nichts gesendet.",
  column: { time: "Zeit", message: "Nachricht", channel: "Weg", result: "Ergebnis" },
  delivered: "gesendet",
  message: {
    testTitle: "Testnachricht",
    test: "Hier kommen Benachrichtigungen von hourgate an.",
    actuator: (id) => `Gerät reagiert nicht: ${id}`,
    telemetry: "Keine aktuellen Messwerte der Batterie",
    lastReading: (moment) => `Letzter Ladestand: ${moment}.`,
    negative: (day) => `Negative Strompreise ${day}`,
    negativeSpans: (spans) => `Der Börsenpreis liegt unter 0 ct/kWh: ${spans}.`,
    lowest: (ct, time) => `Niedrigster Preis: ${ct} ct/kWh um ${time}.`,
    allIn: (ct) => `Mit Ihrem Tarif ist der niedrigste Preis des Tages ${ct} ct/kWh.`,
    report: (month) => `Bericht für ${month}`,
    saved: (eur) => `Ersparnis: ${eur} € gegenüber demselben Haus ohne Steuerung.`,
    savedUnknown: "Die Ersparnis ist nicht bekannt, weil Messwerte oder Preise fehlen.",
    measuredDays: (days, of) => `Gemessen an ${days} von ${of} Tagen.`,
    week: (to) => `Ihre Woche bis ${to}`,
    cheapest: (span, ct, kwh) =>
      `Billigste genutzte Stunde: ${span}, ${kwh} kWh aus dem Netz zu ${ct} ct/kWh.`,
    missed: {
      pv: (date, forecast, measured) =>
        `Am weitesten lag die Prognose am ${date} daneben: ${forecast} kWh Sonne waren erwartet, ${measured} kWh kamen.`,
      load: (date, forecast, measured) =>
        `Am weitesten lag die Prognose am ${date} daneben: ${forecast} kWh Verbrauch waren erwartet, ${measured} kWh wurden verbraucht.`,
    },
    suggestions: {
      tariff: (name, eur) => `Ein Vorschlag: Mit ${name} hätte das letzte Jahr ${eur} € weniger gekostet.`,
      battery: (kwh, eur) =>
        `Ein Vorschlag: Mit einer Batterie von ${kwh} kWh hätte das letzte Jahr ${eur} € weniger gekostet.`,
      pv: (kwp, eur) =>
        `Ein Vorschlag: Mit ${kwp} kWp mehr PV hätte das letzte Jahr ${eur} € weniger gekostet.`,
      override: (days, eur) =>
        `Ein Vorschlag: Überlassen Sie die Batterie dem Plan. Änderungen von Hand haben ${days === 1 ? "einen Tag" : `${days} Tage`} um ${eur} € teurer gemacht als ohne Steuerung.`,
      not_followed: (days, eur) =>
        `Ein Vorschlag: Prüfen Sie die Batterie. Sie ist den Befehlen nicht gefolgt, das hat ${days === 1 ? "einen Tag" : `${days} Tage`} um ${eur} € teurer gemacht als ohne Steuerung.`,
      missing_readings: (days, eur) =>
        `Ein Vorschlag: Prüfen Sie den Zähler. An ${days === 1 ? "einem Tag" : `${days} Tagen`} fehlten Messwerte, nach den anderen Tagen etwa ${eur} € wert.`,
    },
    bill: (eur) => `Rechnung: ${eur} €.`,
    missing: (hours) => `Stunden ohne Messwert, die in der Rechnung fehlen: ${hours}.`,
    since: (moment) => `Seit ${moment}.`,
    ended: (moment, title) => `Behoben seit ${moment}: ${title}.`,
    open: "Übersicht:",
    settings: (link) => `Diese Nachrichten ändern oder abbestellen: ${link}`,
  },
};
