/** Mails: a subject, paragraphs before the link and paragraphs after it. */
export const englishMails = {
  confirmation: {
    subject: "Confirm your e-mail address",
    before: [
      "Hello,",
      "this address was used to register at hourgate. If that was you, open this link to set a password and create the account:",
    ],
    after: [
      "The link is valid for 24 hours and can be used once.",
      "If it was not you, you need not do anything: without the link no account is created.",
    ],
  },
  alreadyRegistered: {
    subject: "You already have an account",
    before: [
      "Hello,",
      "this address was used to register at hourgate, but it already has an account. Sign in here:",
    ],
    after: ["Account and password are unchanged. If it was not you, you need not do anything."],
  },
  recovery: {
    subject: "Set a new password",
    before: ["Hello,", "a new password was requested for your hourgate account. Open this link to set one:"],
    after: [
      "The link is valid for one hour and can be used once.",
      "If you did not request it, ignore this mail.",
    ],
  },
};

/** Page shown while the Node-RED editor cannot be reached. */
export const englishNodeRed = {
  unavailable: {
    title: "Node-RED is not available",
    text: "It is starting, or a flow has ended it and it is being restarted. The gateway itself keeps running. This page reloads automatically.",
  },
};

/** The condition of the sky. */
export const englishWeather = {
  clear: "Clear",
  partly_cloudy: "Partly cloudy",
  cloudy: "Cloudy",
  fog: "Fog",
  rain: "Rain",
  snow: "Snow",
  thunderstorm: "Thunderstorm",
};

/** One day of the PV forecast in a sentence. */
export const englishPvDay = {
  usualWeather: "Usual weather",
  none: "no yield",
  about: (kwh: string) => `about ${kwh} kWh`,
};
