/** The page "Household". */
export const englishHousehold = {
  title: "Household",
  intro:
    "The load of the household without devices that are planned on their own. The battery plan takes it as uncertain: the figures in brackets are a low and a high course.",
  noticed: (since: string) =>
    `Nobody seems to have been at home since ${since}. The plan expects the load of an empty home until somebody is back.`,
  atHome: "Somebody is at home",
  presence: "Absence and guests",
  asUsual: "The plan expects a usual household.",
  asUsualAgain: "Everything as usual from now on",
  period: {
    away: (from: string, until: string | undefined) =>
      until === undefined ? `Away since ${from}, until further notice` : `Away from ${from} to ${until}`,
    guests: (from: string, until: string | undefined) =>
      until === undefined ? `Guests since ${from}, until further notice` : `Guests from ${from} to ${until}`,
  },
  from: "From",
  fromHint: "Empty: now. May be in the past: an absence of the last weeks then does not count as usual load.",
  until: "To",
  untilHint: "Empty: until further notice.",
  away: "Nobody at home",
  guests: "Guests",
  fromCalendar: (title: string) => `(calendar: ${title})`,
  remove: "Does not count",
  calendar: "Calendar with absences",
  calendarIntro:
    "A calendar can say when nobody is at home: whole days, times and series. It is read every hour.",
  calendarOf: (host: string, readAt: string | undefined) =>
    readAt === undefined ? `${host}, not read yet.` : `${host}, last read ${readAt}.`,
  calendarProblem: (problem: string) => `It could not be read; what it last said holds. ${problem}`,
  calendarUrl: "Address of the calendar",
  calendarUrlHint:
    "The secret address in the format iCal (.ics), from the settings of the calendar. It is not shown again.",
  calendarWords: "Words that mean an absence",
  calendarWordsHint:
    "In the titles of events, separated by commas. Empty: every event means that nobody is at home. “Gäste”, “Besuch” and “guests” mean guests.",
  calendarSave: "Use this calendar",
  calendarRemove: "Use no calendar",
  refused: {
    kw: "Enter the mean power as a number from 0 to 100 kW.",
    remove: "This entry is no longer there. Look at the list again.",
    url_invalid: "Enter the whole address of the calendar, such as https://example.com/calendar.ics.",
    host_not_public: "The calendar cannot be read from this address. Enter an https address on the internet.",
    words_invalid: "Enter at most 20 words of at most 50 characters, separated by commas.",
    from: "The beginning must be a date and time of the last 70 days or of the next year. Enter another one, or leave it empty for now.",
    until:
      "The end must be a date and time after the beginning. Enter a later one, or leave it empty until further notice.",
  },
  expected: "Expected load in kWh",
  nothingLearned:
    "Nothing is learned yet: that takes a day of readings. Until then the plan uses the load of the settings.",
  hours: "From",
  today: "Today",
  tomorrow: "Tomorrow",
  wholeDay: "Whole day",
  band: (kwh: string, low: string, high: string) => `${kwh} (${low} to ${high})`,
  learned: "Learned habits in kW",
  learnedHint:
    "Mean power of the coming week as the last weeks suggest, recent days weighing most; public holidays count as weekend. Name an absence above, also a past one, where it is wrong because of it.",
  part: "Time of day",
  parts: {
    night: "Night (0 to 6)",
    morning: "Morning (6 to 10)",
    day: "Day (10 to 17)",
    evening: "Evening (17 to 24)",
  },
  workdays: "Workdays",
  weekend: "Weekend",
  groups: { workdays: "Workdays", weekends: "Weekend" },
  weekdays: ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
  device: (name: string, days: readonly string[]) =>
    days.length === 0 ? `${name}: takes next to nothing.` : `${name}: on average ${days.join(", ")}.`,
  correct: "Correct",
  correctWhen: "What is wrong",
  correctKw: "Mean power instead",
  correctHint: "Of the home without the devices above. The hours keep their shape; the plan follows at once.",
  corrected: (what: string, kw: string) => `${what}: ${kw} kW as you say.`,
  asLearned: "As learned",
};
