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
    text: "It is starting, or a flow has ended it and it is being restarted. The gateway itself keeps running. This page reloads automatically. If nothing changes, the page Administration of the portal says why.",
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

/** Figures of a reason: powers in kW with two decimals, prices in ct/kWh with one, the time of a later price. */
type Figures = Readonly<Record<string, string>>;

/** The part of the surplus that is stored; recorded commands of earlier versions have no powers. */
function storedText({ storedKw, surplusKw }: Figures): string {
  if (storedKw === undefined) return "";
  return storedKw === surplusKw ? ` (${storedKw} kW)` : ` (${storedKw} of ${surplusKw} kW)`;
}

/** The price that explains an action; undefined where no price of the next 24 hours does. */
function laterText({ laterCtKwh, laterTime, laterIsExpected }: Figures): string | undefined {
  if (laterCtKwh === undefined) return undefined;
  return `${laterIsExpected === undefined ? "" : "about "}${laterCtKwh} ct at ${laterTime}`;
}

function pricesText(figures: Figures, otherwise: string): string {
  const later = laterText(figures);
  return `Electricity costs ${figures.importCtKwh} ct/kWh${later === undefined ? otherwise : `, but ${later}`}.`;
}

/** Why the battery does what it does in a step of the plan, now or later, by the code of the reason. */
export const englishReasons = {
  recover_min_soc: () => "The state of charge is below the minimum.",
  paid_to_charge: ({ importCtKwh }: Figures) => `The price is negative (${importCtKwh} ct/kWh).`,
  cheap_import: (figures: Figures) => pricesText(figures, " and is likely to cost more later"),
  pv_surplus: (figures: Figures) => {
    const later = laterText(figures);
    return later === undefined
      ? `The energy${storedText(figures)} is for later consumption.`
      : `Feed-in would earn ${figures.exportCtKwh} ct/kWh, but electricity costs ${later}${storedText(figures)}.`;
  },
  pv_later: ({ exportCtKwh }: Figures) =>
    `Feed-in earns ${exportCtKwh} ct/kWh, and the battery keeps room for later surplus or negative prices.`,
  standby: ({ exportCtKwh }: Figures) =>
    `The battery keeps its energy for more expensive hours. Its inverter can stop discharging only together with charging: surplus is fed in at ${exportCtKwh} ct/kWh.`,
  dear_import: (figures: Figures) => pricesText(figures, "; keeping the energy would save less"),
  export_pays: ({ exportCtKwh }: Figures) =>
    `A kWh that is fed in earns ${exportCtKwh} ct, more than it would save later.`,
  import_limit: () => "The import has to stay within the limit of the grid connection.",
  import_limit_ahead: () => "A later import has to stay within the limit of the grid connection.",
  kept_for_later: (figures: Figures) =>
    laterText(figures) === undefined ? "More expensive hours are likely to follow." : pricesText(figures, ""),
  empty: () => "The battery is empty; the home is supplied from the grid.",
  override: () => "Set by hand: this replaces the plan until it ends.",
  nothing_to_do: () =>
    "There is no surplus or the battery is full; the home needs nothing from it, and charging from the grid does not pay off.",
};
