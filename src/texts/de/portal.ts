import type { englishPortal } from "../en/portal.js";

export const germanPortal: typeof englishPortal = {
  frame: {
    skip: "Zum Inhalt springen",
    storeDown:
      "Das Gateway kann derzeit nichts speichern: Sein Datenträger ist voll oder nicht benutzbar. Prognose und Plan laufen weiter, Änderungen und Messwerte werden aber abgelehnt. Schaffen Sie Platz auf dem Datenträger; danach wird von selbst wieder gespeichert.",
    menu: "Seiten",
    tabs: { overview: "Übersicht", history: "Verlauf", devices: "Geräte", more: "Mehr" },
    areas: {
      home: "Mein Haus",
      connect: "Verbinden",
      help: "Hilfe",
      developers: "Entwickler",
      administration: "Verwaltung",
    },
    keys: "API-Schlüssel",
    plan: "Tarif",
    webhook: "Webhook",
    sites: "Anlagen",
    login: "Anmelden",
    register: "Registrieren",
    logout: "Abmelden",
    language: "Sprache",
    site: "Anlage",
    showSite: "Anzeigen",
  },
  more: { groups: { money: "Geld", home: "Haus", technical: "Für Technik" } },
  components: {
    title: "Bausteine",
    toast: "Gespeichert: was ein Formular bewirkt hat, einige Sekunden lang",
    buttons: "Schaltflächen",
    primary: "Speichern",
    plain: "Abbrechen",
    danger: "Entfernen",
    link: "Ein Link als Schaltfläche",
    fields: "Felder",
    numberField: "Zahl mit Einheit",
    refusedField: "Abgelehnter Wert",
    choiceField: "Auswahl",
    checkbox: "Kästchen",
    hint: "Ein Hinweis sagt, was gemeint ist.",
    card: "Karte mit Einträgen",
    facts: "Karte mit Angaben",
    tables: "Tabellen",
    hour: "Stunde",
    sum: "Summe",
    charts: "Diagramme",
    states: "Zustände",
    empty: "Noch nichts vorhanden.",
    loading: "Wird berechnet",
    table: (columns) => `${columns} Spalten`,
    value: (index) => `Wert ${index}`,
    notices: {
      info: "Das ist gut zu wissen.",
      success: "Das hat funktioniert.",
      warning: "Das braucht bald Aufmerksamkeit.",
      error: "Das funktioniert nicht. Tun Sie Folgendes.",
    },
  },
  offline: {
    title: "Keine Verbindung zum Haus",
    text: "hourgate ist derzeit nicht erreichbar. Prüfen Sie, ob dieses Gerät im Heimnetz und das Gateway eingeschaltet ist. Batterie und Geräte laufen ohne diese Seite weiter.",
    retry: "Erneut versuchen",
  },
  form: {
    refused: "Bitte prüfen Sie, was Sie eingegeben haben:",
    required: "Dieses Feld muss ausgefüllt sein.",
    unknown: "Bitte einen Wert aus der Liste wählen.",
  },
  error: {
    home: "Zur Startseite",
    400: {
      title: "Diese Anfrage ist nicht lesbar",
      text: "Gehen Sie zurück, laden Sie die Seite neu und senden Sie das Formular noch einmal.",
    },
    403: {
      title: "Dieses Formular gilt nicht mehr",
      text: "Es wurde nicht von dieser Seite gesendet, oder die Seite war zu lange offen. Gehen Sie zurück, laden Sie die Seite neu und senden Sie es noch einmal. Es wurde nichts geändert.",
    },
    repeat: {
      title: "Noch nicht gespeichert",
      text: "Die Seite war zu lange offen. Ihre Eingaben sind erhalten: Senden Sie sie noch einmal.",
      signedOut:
        "Sie sind nicht mehr angemeldet. Ihre Eingaben sind erhalten: Melden Sie sich in einem neuen Fenster an und senden Sie sie dann von hier noch einmal.",
      signIn: "In neuem Fenster anmelden",
      send: "Noch einmal senden",
    },
    forbidden: {
      title: "Nur für Administratoren",
      text: "Melden Sie sich mit dem Konto eines Administrators an, um diese Seite zu sehen.",
    },
    404: {
      title: "Diese Seite gibt es nicht",
      text: "Prüfen Sie die Adresse, oder gehen Sie zur Startseite.",
    },
    405: {
      title: "Diese Aktion ist hier nicht möglich",
      text: "Öffnen Sie die Seite und verwenden Sie das Formular darauf.",
    },
    413: {
      title: "Das Formular ist zu groß",
      text: "Senden Sie höchstens 2.000 Felder und 100 kB auf einmal.",
    },
    upload: {
      title: "Die Dateien sind zu groß",
      text: "Es wurde nichts gespeichert. Auf einmal können höchstens 40 MB hochgeladen werden: Laden Sie weniger Dateien hoch oder exportieren Sie einen kürzeren Zeitraum.",
    },
    uploading: {
      title: "Ein anderes Hochladen ist noch im Gang",
      text: "Ihr Konto lädt gerade Dateien hoch. Warten Sie, bis sie angekommen sind, und versuchen Sie es dann noch einmal.",
    },
    busy: {
      title: "Zu viele Dateien auf einmal",
      text: "Es wurde nichts gespeichert. Versuchen Sie es in einigen Minuten noch einmal.",
    },
    slow: {
      title: "Das Hochladen war zu langsam",
      text: "Es wurde nichts gespeichert. In der Sekunde sind weniger als 50 kB angekommen: Versuchen Sie es mit einer besseren Verbindung oder mit weniger Dateien noch einmal.",
    },
    415: {
      title: "Diese Art von Formular wird nicht angenommen",
      text: "Senden Sie es als application/x-www-form-urlencoded, wie es die Seiten des Portals tun.",
    },
    429: {
      title: "Zu viele Versuche",
      text: (minutes) =>
        `Warten Sie ${minutes === 1 ? "eine Minute" : `${minutes} Minuten`} und versuchen Sie es dann noch einmal.`,
    },
    500: {
      title: "Ein Fehler ist aufgetreten",
      text: "Versuchen Sie es noch einmal. Die Ursache steht im Protokoll des Gateways.",
    },
    503: {
      title: "Die Daten können gerade nicht gespeichert werden",
      text: "Es wurde nichts geändert. Die Ursache steht im Protokoll des Gateways.",
    },
  },
  account: {
    email: "E-Mail",
    password: "Passwort",
    passwordHint: "Mindestens 10 Zeichen.",
  },
  register: {
    title: "Registrieren",
    intro:
      "Mit einem kostenlosen Konto erhalten Sie die Prognose für 168 Stunden, Entscheidungen und den Plan für Ihre Batterie.",
    submit: "Registrieren",
    haveAccount: "Schon registriert?",
    closedTitle: "Registrierung nicht möglich",
    closed:
      "Konten dieses Gateways gibt es auf Einladung: Wenden Sie sich an den Administrator. Administratoren laden auf der Seite Verwaltung ein und ändern das mit accounts.registration in der Konfiguration.",
    sentTitle: "Prüfen Sie Ihr Postfach",
    sent: "Wir haben eine E-Mail an die Adresse gesendet. Bestätigen Sie das Konto mit dem Link darin; er gilt 24 Stunden.",
    storedTitle: "E-Mail nicht gesendet",
    stored:
      "Dieses Gateway sendet derzeit keine E-Mails. Die E-Mail mit dem Link liegt als Datei im Ordner outbox des Datenordners; das Protokoll nennt die Datei. Öffnen Sie den Link darin, oder bitten Sie den Administrator des Gateways darum. Der Link gilt 24 Stunden.",
    sentNothing: "Nichts angekommen? Sehen Sie im Spam-Ordner nach, oder registrieren Sie sich noch einmal.",
  },
  confirm: {
    failedTitle: "Dieser Link gilt nicht",
    failed: "Er wurde schon benutzt, ist abgelaufen oder nicht vollständig.",
    signIn: "Wenn Sie das Konto schon bestätigt haben, melden Sie sich an.",
    again: "Registrieren Sie sich noch einmal, um einen neuen Link zu erhalten.",
    askAgain: "Bitten Sie den Administrator des Gateways um eine neue Einladung.",
  },
  login: {
    title: "Anmelden",
    submit: "Anmelden",
    wrong: "E-Mail oder Passwort ist falsch.",
    noAccount: "Noch kein Konto?",
    first: {
      title: "Zum ersten Mal hier?",
      email: (email) => `Melden Sie sich mit ${email} an.`,
      password:
        "Das erste Passwort steht in der Ausgabe des ersten Starts (docker logs, journalctl), oder in der Konfigurationsdatei unter owner.password.",
      lost: "Ein neues setzt auf dem Gerät von hourgate:",
    },
  },
  logout: {
    title: "Abmelden",
    question: "Möchten Sie sich in diesem Browser abmelden?",
    submit: "Abmelden",
  },
  site: {
    none: "Ihr Konto hat noch keine Anlage. Fügen Sie zuerst eine hinzu.",
    add: "Anlage hinzufügen",
  },
  inputError: {
    invalid_email: "Bitte eine E-Mail-Adresse eingeben, zum Beispiel anna@example.com.",
    password_too_short: "Das Passwort muss mindestens 10 Zeichen haben.",
    password_too_long: "Das Passwort darf höchstens 200 Zeichen haben.",
    password_common: "Dieses Passwort steht auf Listen häufiger Passwörter. Wählen Sie ein anderes.",
    wrong_code: "Der Code ist falsch oder abgelaufen.",
    not_deletable: "Das Konto eines Administrators kann nicht gelöscht werden.",
    wrong_password: "Das bisherige Passwort ist falsch.",
    trial_used: "Die Probezeit gibt es nur einmal je Konto.",
    unknown_account: "Dieses Konto gibt es nicht.",
    account_exists: "Mit dieser E-Mail gibt es schon ein Konto.",
    trial_not_needed: "Dieses Konto hat die Vollversion; es braucht keine Probezeit.",
    until_past: "Bitte ein Datum ab heute eingeben, oder das Feld leer lassen.",
    no_paid_plan: "Dafür gibt es keinen bezahlten Tarif.",
    unknown_site: "Diese Anlage gibt es nicht mehr; laden Sie die Seite neu.",
    unknown_key: "Diesen gültigen Schlüssel gibt es nicht; laden Sie die Seite neu.",
    ambiguous_key: "Mehrere Schlüssel beginnen so; bitte mehr Zeichen angeben.",
    too_many_links:
      "Eine Anlage hat höchstens 50 Links: Widerrufen Sie die, die nicht mehr verwendet werden.",
    unknown_link: "Diesen Link gibt es nicht mehr; laden Sie die Seite neu.",
    invalid_filter:
      "Der Filter muss ein MQTT-Topic sein; + steht für eine Ebene, ein letztes # für alle Ebenen darunter.",
    too_many_filters: "Die Anlage hat bereits 100 freigegebene Filter.",
    unknown_filter: "Dieser Filter ist nicht freigegeben.",
    invalid_limit: "Bitte eine ganze Zahl ab 1 eingeben, oder das Feld leer lassen.",
    invalid_label: "Bitte eine Zeile mit höchstens 80 Zeichen eingeben.",
  },
};
