/** Mails: a subject, paragraphs before the link and paragraphs after it. */
export const englishMails = {
  confirmation: {
    subject: "Confirm your e-mail address",
    before: [
      "Hello,",
      "this address was used to register at hourgate. If that was you, open this link to activate the account:",
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
