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
      "If this was not you, ignore this e-mail: without the link no account is created.",
    ],
  },
  invitation: {
    subject: "Your account at hourgate",
    before: [
      "Hello,",
      "the administrator of an energy gateway (hourgate) invites you to it. Open this link to set a password and create your account:",
    ],
    after: [
      "The link is valid for seven days and can be used once.",
      "If you do not know what this is about, ignore this e-mail: without the link no account is created.",
    ],
  },
  alreadyRegistered: {
    subject: "You already have an account",
    before: [
      "Hello,",
      "this address was used to register at hourgate, but it already has an account. Sign in here:",
    ],
    after: ["Account and password are unchanged. If this was not you, ignore this e-mail."],
  },
  recovery: {
    subject: "Set a new password",
    before: ["Hello,", "a new password was requested for your hourgate account. Open this link to set one:"],
    after: [
      "The link is valid for one hour and can be used once.",
      "If you did not request it, ignore this mail.",
    ],
  },
  wrongCodes: {
    subject: "Wrong codes at your sign-in",
    before: [
      "Hello,",
      "somebody entered the right password of your hourgate account and then several wrong codes of the authenticator app. Further codes are delayed.",
      "If it was not you, change your password here:",
    ],
    after: [
      "If it was you, there is nothing to do: wait a little, and check the clock of the device with the app.",
    ],
  },
};

/** Page shown while the Node-RED editor cannot be reached. */
export const englishNodeRed = {
  unavailable: {
    title: "Node-RED is not available",
    text: "It is starting, or a flow has ended it and it is being restarted. The gateway itself keeps running. This page reloads automatically.",
  },
  missing: {
    title: "Node-RED is not installed",
    text: "The gateway runs without it. Install hourgate with its optional packages (npm install --include=optional), or set node_red.enabled to false.",
  },
};

/** Pages shown while a shard of a fleet cannot be reached. */
export const englishFleet = {
  unavailable: {
    title: "Back in a moment",
    text: "The server of this home is being replaced. Try again in a few seconds.",
  },
  waiting: {
    title: "Nothing to serve yet",
    text: "This worker waits for a free shard of the fleet. Send requests to the router.",
  },
  noPath: {
    title: "No such address",
    text: "There is no such path. Each account has its own portal address, which is in the mails to its holder; the API is described at /openapi.json.",
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

/** How numbers, dates and spans are written. */
export const englishFormat = {
  /** BCP 47 tag for numbers and dates. */
  locale: "en-GB",
  decimal: ".",
  today: "today",
  tomorrow: "tomorrow",
  left: (time: string) => `${time} left`,
  minutes: (count: number) => (count === 1 ? "1 minute" : `${count} minutes`),
  hours: (count: number) => (count === 1 ? "1 hour" : `${count} hours`),
  days: (count: number) => (count === 1 ? "1 day" : `${count} days`),
  range: (least: number | null, most: number | null) => `${least} to ${most}`,
};

/** Figures of a reason, written with two decimals; ct/kWh, kW. */
type Figures = Readonly<Record<string, string>>;

/** The part of the surplus that is stored; recorded commands of earlier versions have no powers. */
function storedText({ storedKw, surplusKw }: Figures): string {
  if (storedKw === undefined) return "";
  return storedKw === surplusKw ? ` (${storedKw} kW)` : ` (${storedKw} of ${surplusKw} kW)`;
}

/** Why the battery does what it does in a step of the plan, by the code of the reason. */
export const englishReasons = {
  recover_min_soc: () => "Charges because the state of charge is below the minimum.",
  paid_to_charge: ({ importCtKwh }: Figures) =>
    `Charges from the grid: the price is negative (${importCtKwh} ct/kWh).`,
  cheap_import: ({ importCtKwh, storedCtKwh, valueCtKwh }: Figures) =>
    valueCtKwh === undefined
      ? `Charges from the grid: import costs ${importCtKwh} ct/kWh now and is likely to cost more later.`
      : `Charges from the grid: a stored kWh costs ${storedCtKwh} ct and is worth at least ${valueCtKwh} ct later.`,
  pv_surplus: ({ valueCtKwh, exportCtKwh, ...powers }: Figures) =>
    valueCtKwh === undefined
      ? `Stores PV surplus${storedText(powers)} for later consumption.`
      : `Stores PV surplus${storedText(powers)}: a kWh is worth ${valueCtKwh} ct later, feed-in would earn ${exportCtKwh} ct.`,
  pv_later: ({ exportCtKwh, valueCtKwh }: Figures) =>
    `Does not store PV surplus now: feed-in earns ${exportCtKwh} ct, and the battery keeps room for later surplus or negative prices (a stored kWh is worth ${valueCtKwh} ct).`,
  dear_import: ({ importCtKwh, valueCtKwh }: Figures) =>
    `Supplies the household: import costs ${importCtKwh} ct/kWh now, a stored kWh is worth ${valueCtKwh} ct.`,
  export_pays: ({ exportCtKwh, valueCtKwh }: Figures) =>
    `Feeds into the grid: a kWh earns ${exportCtKwh} ct now and is worth ${valueCtKwh} ct stored.`,
  import_limit: () => "Discharges to keep the import within the limit of the grid connection.",
  import_limit_ahead: () =>
    "Charges in advance to keep a later import within the limit of the grid connection.",
  kept_for_later: ({ savesCtKwh, valueCtKwh }: Figures) =>
    valueCtKwh === undefined
      ? "Holds its charge for the more expensive hours that are likely to follow."
      : `Holds its charge: a stored kWh saves ${savesCtKwh} ct now and is worth ${valueCtKwh} ct later.`,
  empty: () => "The battery is empty; the household is supplied from the grid.",
  override: () => "Manual override: it replaces the plan until it expires.",
  nothing_to_do: () => "Idle: there is no surplus and no demand, and charging does not pay off.",
};
