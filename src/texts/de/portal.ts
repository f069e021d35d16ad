import type { englishPortal } from "../en/portal.js";

export const germanPortal: typeof englishPortal = {
  frame: {
    skip: "Zum Inhalt springen",
    menu: "Seiten",
    dashboard: "Übersicht",
    ems: "EMS-Einstellungen",
    keys: "API-Schlüssel",
    plan: "Tarif",
    webhook: "Webhook",
    sites: "Anlagen",
    admin: "Verwaltung",
    login: "Anmelden",
    register: "Registrieren",
    logout: "Abmelden",
    language: "Sprache",
    site: "Anlage",
    showSite: "Anzeigen",
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
      text: "Es kam nicht von dieser Seite, oder die Seite war zu lange offen. Gehen Sie zurück, laden Sie die Seite neu und senden Sie es noch einmal. Es wurde nichts geändert.",
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
      title: "So ist diese Seite nicht zu benutzen",
      text: "Öffnen Sie die Seite und benutzen Sie ihr Formular.",
    },
    413: { title: "Das Formular ist zu groß", text: "Senden Sie weniger als 100 kB auf einmal." },
    upload: {
      title: "Die Dateien sind zu groß",
      text: "Es wurde nichts gespeichert. Auf einmal können höchstens 40 MB hochgeladen werden: Laden Sie weniger Dateien hoch oder exportieren Sie einen kürzeren Zeitraum.",
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
      title: "Etwas ist schiefgegangen",
      text: "Was, das steht im Protokoll des Gateways. Versuchen Sie es noch einmal.",
    },
    503: {
      title: "Die Daten können gerade nicht gespeichert werden",
      text: "Es wurde nichts geändert. Warum, das steht im Protokoll des Gateways.",
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
      "Ein Konto bringt die Prognose für 168 Stunden, die Entscheidungen und den Plan für Ihre Batterie. Es ist kostenlos.",
    submit: "Registrieren",
    haveAccount: "Schon registriert?",
    sentTitle: "Sehen Sie in Ihr Postfach",
    sent: "Wir haben eine Nachricht an die Adresse geschickt. Bestätigen Sie das Konto mit dem Link darin; er gilt 24 Stunden.",
    sentNothing: "Nichts angekommen? Sehen Sie im Spam-Ordner nach, oder registrieren Sie sich noch einmal.",
  },
  confirm: {
    failedTitle: "Dieser Link gilt nicht",
    failed: "Er wurde schon benutzt, ist abgelaufen oder nicht vollständig.",
    signIn: "Wenn Sie das Konto schon bestätigt haben, melden Sie sich an.",
    again: "Registrieren Sie sich noch einmal, um einen neuen Link zu bekommen.",
  },
  login: {
    title: "Anmelden",
    submit: "Anmelden",
    wrong: "E-Mail oder Passwort ist falsch.",
    noAccount: "Noch kein Konto?",
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
    invalid_email: "Bitte eine E-Mail-Adresse eingeben, wie anna@example.com.",
    password_too_short: "Das Passwort braucht mindestens 10 Zeichen.",
    password_too_long: "Das Passwort kann höchstens 200 Zeichen haben.",
    password_common:
      "Dieses Passwort steht auf den Listen, die Angreifer zuerst probieren. Wählen Sie ein anderes.",
    wrong_code: "Der Code ist falsch oder abgelaufen.",
    not_deletable: "Das Konto eines Administrators kann nicht gelöscht werden.",
    wrong_password: "Das bisherige Passwort ist falsch.",
    trial_used: "Die Probezeit gibt es nur einmal je Konto.",
    unknown_account: "Dieses Konto gibt es nicht.",
    account_exists: "Mit dieser E-Mail gibt es schon ein Konto.",
    trial_not_needed: "Dieses Konto hat die Vollversion; es braucht keine Probezeit.",
    until_past: "Bitte ein Datum ab heute eingeben, oder nichts.",
    no_paid_plan: "Dafür gibt es keinen bezahlten Tarif.",
    unknown_site: "Diese Anlage gibt es nicht mehr; laden Sie die Seite neu.",
    unknown_key: "Diesen gültigen Schlüssel gibt es nicht; laden Sie die Seite neu.",
    ambiguous_key: "Mehrere Schlüssel beginnen so; bitte mehr Zeichen angeben.",
    unknown_link: "Diesen Link gibt es nicht mehr; laden Sie die Seite neu.",
    invalid_filter:
      "Der Filter muss ein MQTT-Topic sein; + steht für eine Ebene, ein letztes # für alle Ebenen darunter.",
    too_many_filters: "Die Anlage hat bereits 100 freigegebene Filter.",
    unknown_filter: "Dieser Filter ist nicht freigegeben.",
    invalid_limit: "Bitte eine ganze Zahl von Aufrufen ab 1 eingeben, oder nichts.",
    invalid_label: "Eine Zeile mit höchstens 80 Zeichen.",
  },
};
