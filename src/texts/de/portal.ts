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
    refused: "Bitte prüfen Sie Ihre Eingaben:",
    required: "Dieses Feld muss ausgefüllt sein.",
    unknown: "Bitte einen Wert aus der Liste wählen.",
  },
  error: {
    home: "Zur Startseite",
    400: {
      title: "Ungültige Anfrage",
      text: "Gehen Sie zurück, laden Sie die Seite neu und senden Sie das Formular erneut.",
    },
    403: {
      title: "Dieses Formular ist nicht mehr gültig",
      text: "Es wurde nicht von dieser Seite gesendet, oder die Seite war zu lange geöffnet. Es wurde nichts geändert. Gehen Sie zurück, laden Sie die Seite neu und senden Sie das Formular erneut.",
    },
    forbidden: {
      title: "Nur für Administratoren",
      text: "Melden Sie sich als Administrator an, um diese Seite zu sehen.",
    },
    404: {
      title: "Seite nicht gefunden",
      text: "Prüfen Sie die Adresse oder gehen Sie zur Startseite.",
    },
    405: {
      title: "Methode nicht erlaubt",
      text: "Öffnen Sie die Seite und verwenden Sie ihr Formular.",
    },
    413: { title: "Das Formular ist zu groß", text: "Senden Sie weniger als 100 kB auf einmal." },
    415: {
      title: "Nicht unterstütztes Formular",
      text: "Senden Sie das Formular als application/x-www-form-urlencoded.",
    },
    429: {
      title: "Zu viele Versuche",
      text: (minutes) =>
        `Warten Sie ${minutes === 1 ? "eine Minute" : `${minutes} Minuten`} und versuchen Sie es dann erneut.`,
    },
    500: {
      title: "Etwas ist schiefgegangen",
      text: "Versuchen Sie es erneut. Einzelheiten stehen im Protokoll des Gateways.",
    },
    503: {
      title: "Die Daten können nicht gespeichert werden",
      text: "Es wurde nichts geändert. Einzelheiten stehen im Protokoll des Gateways.",
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
      "Mit einem Konto erhalten Sie die Prognose für 168 Stunden, die Entscheidungen und den Plan für Ihre Batterie. Es ist kostenlos.",
    submit: "Registrieren",
    haveAccount: "Bereits registriert?",
    sentTitle: "Prüfen Sie Ihr Postfach",
    sent: "Wir haben Ihnen eine Nachricht gesendet. Bestätigen Sie das Konto mit dem Link darin; er gilt 24 Stunden.",
    savedTitle: "Registrierung gespeichert",
    saved: (contact) =>
      `Dieses Gateway hat keinen Mailserver. Fragen Sie den Betreiber (${contact}) nach dem Bestätigungslink; er gilt 24 Stunden.`,
    sentNothing: "Keine Nachricht? Sehen Sie im Spam-Ordner nach oder registrieren Sie sich erneut.",
  },
  confirm: {
    failedTitle: "Dieser Link ist ungültig",
    failed: "Er wurde bereits benutzt, ist abgelaufen oder unvollständig.",
    signIn: "Wenn Sie das Konto bereits bestätigt haben, melden Sie sich an.",
    again: "Registrieren Sie sich erneut, um einen neuen Link zu erhalten.",
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
    password_too_short: "Das Passwort muss mindestens 10 Zeichen haben.",
    password_too_long: "Das Passwort darf höchstens 200 Zeichen haben.",
    wrong_password: "Das aktuelle Passwort ist falsch.",
    trial_used: "Die Testphase gibt es nur einmal pro Konto.",
    unknown_account: "Dieses Konto existiert nicht.",
    account_exists: "Mit dieser E-Mail-Adresse gibt es bereits ein Konto.",
    trial_not_needed: "Dieses Konto hat bereits die Vollversion.",
    until_past: "Bitte ein Datum ab heute eingeben, oder nichts.",
    no_paid_plan: "Dieses Konto hat keinen bezahlten Tarif.",
    unknown_site: "Diese Anlage existiert nicht mehr; laden Sie die Seite neu.",
    unknown_key: "Diesen Schlüssel gibt es nicht oder er ist widerrufen; laden Sie die Seite neu.",
    ambiguous_key: "Mehrere Schlüssel beginnen mit diesen Zeichen; bitte mehr Zeichen angeben.",
    unknown_link: "Diesen Link gibt es nicht mehr; laden Sie die Seite neu.",
    invalid_filter:
      "Der Filter muss ein MQTT-Topic sein; + steht für eine Ebene, ein letztes # für alle Ebenen darunter.",
    too_many_filters: "Die Anlage hat bereits 100 freigegebene Filter.",
    unknown_filter: "Dieser Filter ist nicht freigegeben.",
    invalid_limit: "Bitte eine ganze Zahl von Aufrufen ab 1 eingeben, oder nichts.",
    invalid_label: "Eine Zeile mit höchstens 80 Zeichen.",
  },
};
