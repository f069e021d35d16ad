import type { englishHousehold } from "../en/household.js";

export const germanHousehold: typeof englishHousehold = {
  title: "Haushalt",
  intro:
    "Der Verbrauch des Haushalts ohne die Geräte, die eigens geplant werden. Der Batterieplan rechnet ihn als unsicher: In Klammern stehen ein niedriger und ein hoher Verlauf.",
  noticed: (since) =>
    `Seit ${since} scheint niemand zu Hause zu sein. Der Plan rechnet mit dem Verbrauch eines leeren Hauses, bis jemand zurück ist.`,
  atHome: "Es ist jemand zu Hause",
  presence: "Abwesenheit und Gäste",
  asUsual: "Der Plan rechnet mit einem gewöhnlichen Haushalt.",
  asUsualAgain: "Ab jetzt alles wie gewöhnlich",
  period: {
    away: (from, until) =>
      until === undefined ? `Abwesend seit ${from}, bis auf Weiteres` : `Abwesend von ${from} bis ${until}`,
    guests: (from, until) =>
      until === undefined ? `Gäste seit ${from}, bis auf Weiteres` : `Gäste von ${from} bis ${until}`,
  },
  from: "Von",
  fromHint:
    "Leer: jetzt. Darf in der Vergangenheit liegen: Eine Abwesenheit der letzten Wochen zählt dann nicht als gewöhnlicher Verbrauch.",
  until: "Bis",
  untilHint: "Leer: bis auf Weiteres.",
  away: "Niemand zu Hause",
  guests: "Gäste",
  fromCalendar: (title: string) => `(Kalender: ${title})`,
  remove: "Gilt nicht",
  calendar: "Kalender mit Abwesenheiten",
  calendarIntro:
    "Ein Kalender kann sagen, wann niemand zu Hause ist: ganze Tage, Zeiten und Serien. Er wird jede Stunde gelesen.",
  calendarOf: (host: string, readAt: string | undefined) =>
    readAt === undefined ? `${host}, noch nicht gelesen.` : `${host}, zuletzt gelesen ${readAt}.`,
  calendarProblem: (problem: string) =>
    `Er konnte nicht gelesen werden; was er zuletzt gesagt hat, gilt weiter. ${problem}`,
  calendarUrl: "Adresse des Kalenders",
  calendarUrlHint:
    "Die geheime Adresse im Format iCal (.ics) aus den Einstellungen des Kalenders. Sie wird nicht mehr angezeigt.",
  calendarWords: "Wörter, die Abwesenheit bedeuten",
  calendarWordsHint:
    "In den Titeln der Termine, durch Komma getrennt. Leer: Jeder Termin bedeutet, dass niemand zu Hause ist. „Gäste“, „Besuch“ und „guests“ bedeuten Gäste.",
  calendarSave: "Diesen Kalender verwenden",
  calendarRemove: "Keinen Kalender verwenden",
  refused: {
    kw: "Geben Sie die mittlere Leistung als Zahl von 0 bis 100 kW ein.",
    remove: "Diesen Eintrag gibt es nicht mehr. Sehen Sie die Liste noch einmal an.",
    url_invalid:
      "Geben Sie die ganze Adresse des Kalenders ein, zum Beispiel https://example.com/kalender.ics.",
    host_not_public:
      "Von dieser Adresse kann der Kalender nicht gelesen werden. Geben Sie eine https-Adresse im Internet ein.",
    words_invalid: "Geben Sie höchstens 20 Wörter mit je höchstens 50 Zeichen ein, durch Komma getrennt.",
    from: "Der Beginn muss ein Zeitpunkt der letzten 70 Tage oder des nächsten Jahres sein. Geben Sie einen anderen ein, oder lassen Sie das Feld für jetzt leer.",
    until:
      "Das Ende muss ein Zeitpunkt nach dem Beginn sein. Geben Sie einen späteren ein, oder lassen Sie das Feld bis auf Weiteres leer.",
  },
  expected: "Erwarteter Verbrauch in kWh",
  nothingLearned:
    "Noch ist nichts gelernt: Dafür braucht es Messwerte eines Tages. Bis dahin gilt der Verbrauch aus den Einstellungen.",
  hours: "Ab",
  today: "Heute",
  tomorrow: "Morgen",
  wholeDay: "Ganzer Tag",
  band: (kwh, low, high) => `${kwh} (${low} bis ${high})`,
  learned: "Gelernte Gewohnheiten in kW",
  learnedHint:
    "Mittlere Leistung der kommenden Woche nach den letzten Wochen, die jüngsten Tage zählen am meisten, Feiertage wie ein Wochenende. Ist sie wegen einer Abwesenheit falsch, tragen Sie diese oben ein, auch nachträglich.",
  part: "Tageszeit",
  parts: {
    night: "Nacht (0 bis 6)",
    morning: "Morgen (6 bis 10)",
    day: "Tag (10 bis 17)",
    evening: "Abend (17 bis 24)",
  },
  workdays: "Werktage",
  weekend: "Wochenende",
  groups: { workdays: "Werktags", weekends: "Am Wochenende" },
  weekdays: ["Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"],
  device: (name, days) =>
    days.length === 0 ? `${name}: braucht fast nichts.` : `${name}: im Mittel ${days.join(", ")}.`,
  correct: "Berichtigen",
  correctWhen: "Was nicht stimmt",
  correctKw: "Mittlere Leistung stattdessen",
  correctHint:
    "Des Hauses ohne die Geräte oben. Der Verlauf der Stunden bleibt; der Plan richtet sich sofort danach.",
  corrected: (what, kw) => `${what}: ${kw} kW, wie Sie sagen.`,
  asLearned: "Wie gelernt",
};
