import type { NotificationChannel, NotificationKind } from "../../core/domain/notification.js";

const kinds: Record<NotificationKind, { label: string; hint: string }> = {
  actuator_failed: {
    label: "A device does not react",
    hint: "A controlled device has failed or is offline for five minutes.",
  },
  battery_not_following: {
    label: "The battery does not follow its commands",
    hint: "With the likely cause.",
  },
  telemetry_lost: {
    label: "Measurements have stopped",
    hint: "The state of charge is so old that the battery does not charge, for safety.",
  },
  negative_prices: {
    label: "Negative prices tomorrow",
    hint: "As soon as the prices of the next day are published: from when to when, and how low.",
  },
  weekly_story: {
    label: "Weekly story",
    hint: "On Mondays: what was saved, the cheapest hour used, what the forecast missed, and a suggestion with its worth.",
  },
  monthly_report: {
    label: "Monthly report",
    hint: "On the 1st: savings and, with a tariff, the bill of the last month.",
  },
};

const channels: Record<NotificationChannel, string> = { email: "E-mail", ntfy: "ntfy", webhook: "Webhook" };

/** The page of the notifications, and the messages themselves. */
export const englishNotifications = {
  title: "Notifications",
  intro:
    "You get a message when something needs your attention: at most one of each kind per site and day. Changes on this page cannot be undone.",
  what: "What is reported",
  kinds,
  quietAndLanguage: (from: string, to: string) =>
    `Quiet hours (${from === "" && to === "" ? "none" : `${from} to ${to}`}) and language`,
  quietNote:
    "Nothing is sent in this time, in the time zone of the site. What still applies is sent afterwards. Leave both empty for none.",
  from: "From",
  to: "To",
  language: "Language of the messages",
  languages: { de: "German", en: "English" },
  channels,
  channelState: (channel: string, isOn: boolean) => `${channel}: ${isOn ? "on" : "off"}`,
  enabled: {
    email: "Send by e-mail",
    ntfy: "Send to ntfy",
    webhook: "Send to a webhook",
  } satisfies Record<NotificationChannel, string>,
  address: "E-mail address",
  addressNote: (email: string) => `The messages go to ${email}, the address of the account.`,
  noMailServer:
    "This gateway has no mail server, so e-mail cannot be sent. The administrator enters one in the configuration (smtp).",
  server: "Server",
  serverHint: {
    public: "Such as https://ntfy.sh.",
    local: "Such as https://ntfy.sh, or http://192.168.1.20:8090 for a server in your own network.",
  },
  topic: "Topic",
  topicHint:
    "Letters, digits, - and _. On a public server choose a name that cannot be guessed: anyone who knows it can read the messages.",
  token: "Access token",
  tokenHint: "Only if the server requires one. It is not shown again.",
  tokenStored: "A token is stored. Leave the field empty to keep it.",
  tokenRemove: "Remove the stored token",
  url: "URL",
  urlHint: "HTTPS. Each message is sent as JSON, signed like the events of the developers' webhook.",
  secret: "Signing secret of the webhook, shown only now:",
  secretStored: "A signing secret is stored.",
  secretRenew: "Create a new signing secret",
  save: "Save",
  saved: "The settings are saved.",
  test: "Save and send a test",
  tested: {
    email: (address: string) => `The mail server has accepted a test e-mail to ${address}.`,
    ntfy: () => "The ntfy server has accepted the test message.",
    webhook: () => "The webhook has accepted the test message.",
  } satisfies Record<NotificationChannel, (address: string) => string>,
  testFailed: (channel: string, reason: string) => `The test message (${channel}) did not arrive: ${reason}`,
  errors: {
    time: "Enter a time such as 22:00, or leave both fields empty.",
    address: "Enter an e-mail address, such as anna@example.com.",
    topic: "Enter a topic of at most 64 letters, digits, - and _.",
    token: "Enter the token without spaces, at most 200 characters.",
    language: "Choose one of the languages in the list.",
    url_invalid: "Enter a complete address, such as https://example.com.",
    url_not_https: "The address must begin with https://.",
    url_not_https_public: "A server outside your own network needs https://.",
    url_with_credentials: "Leave user name and password out of the address.",
    host_not_public:
      "The host is in a private network. Enter one on the internet, or ask the administrator to allow private hosts (webhooks.allow_private_hosts).",
  },
  faults: {
    no_mail_server: "No mail server is configured (smtp).",
    mail_rejected: "The mail server did not accept it. Check the e-mail address and the mail server.",
    unauthorized: "The server refuses the sign-in. Check topic and access token.",
    limited: "The server refuses further messages for now. Try it again later.",
    refused: "The server answers with an error. Check the address.",
    redirect: "The server redirects to another address. Enter that address.",
    timeout: "The server does not answer in time.",
    not_public: "The address is in a private network, which is not allowed here.",
    unknown_host: "The name of the server is unknown. Check the address.",
    certificate:
      "There is no secure connection: the certificate does not match, is not trusted or has expired.",
    unreachable: "The server cannot be reached. Check address and network.",
    overflow: "Too many messages are waiting.",
    stopped: "The gateway was stopped before the answer.",
  },
  preview: "Weekly story: the last seven days",
  previewNone: "There is no story yet: nothing was measured in the last seven days.",
  recent: "Last messages",
  none: "Nothing has been sent yet.",
  column: { time: "Time", message: "Message", channel: "Channel", result: "Result" },
  delivered: "sent",
  message: {
    testTitle: "Test message",
    test: "Notifications from hourgate arrive here.",
    actuator: (id: string) => `Device does not react: ${id}`,
    telemetry: "No current measurements of the battery",
    lastReading: (moment: string) => `Last state of charge: ${moment}.`,
    negative: (day: string) => `Negative electricity prices ${day}`,
    negativeSpans: (spans: string) => `The market price is below 0 ct/kWh: ${spans}.`,
    lowest: (ct: string, time: string) => `Lowest: ${ct} ct/kWh at ${time}.`,
    allIn: (ct: string) => `With your tariff the lowest price of the day is ${ct} ct/kWh.`,
    report: (month: string) => `Report for ${month}`,
    saved: (eur: string) => `Saved: ${eur} € compared with the same home uncontrolled.`,
    savedUnknown: "The savings are not known, because measurements or prices are missing.",
    measuredDays: (days: number, of: number) => `Measured on ${days} of ${of} days.`,
    week: (to: string) => `Your week to ${to}`,
    cheapest: (span: string, ct: string, kwh: string) =>
      `Cheapest hour used: ${span}, ${kwh} kWh from the grid at ${ct} ct/kWh.`,
    missed: {
      pv: (date: string, forecast: string, measured: string) =>
        `The forecast missed most on ${date}: ${forecast} kWh of sun were expected, ${measured} kWh came.`,
      load: (date: string, forecast: string, measured: string) =>
        `The forecast missed most on ${date}: ${forecast} kWh of consumption were expected, ${measured} kWh were used.`,
    },
    suggestions: {
      tariff: (name: string, eur: string) =>
        `A suggestion: with ${name} the last year would have cost ${eur} € less.`,
      battery: (kwh: string, eur: string) =>
        `A suggestion: with a battery of ${kwh} kWh the last year would have cost ${eur} € less.`,
      pv: (kwp: string, eur: string) =>
        `A suggestion: with ${kwp} kWp more PV the last year would have cost ${eur} € less.`,
      override: (days: number, eur: string) =>
        `A suggestion: leave the battery to the plan. Changes by hand made ${days === 1 ? "one day" : `${days} days`} ${eur} € more expensive than without control.`,
      not_followed: (days: number, eur: string) =>
        `A suggestion: check the battery. It did not follow its commands, which made ${days === 1 ? "one day" : `${days} days`} ${eur} € more expensive than without control.`,
      missing_readings: (days: number, eur: string) =>
        `A suggestion: check the meter. Readings were missing on ${days === 1 ? "one day" : `${days} days`}, worth about ${eur} € by the other days.`,
    },
    bill: (eur: string) => `Bill: ${eur} €.`,
    missing: (hours: string) => `Hours without a value, not in the bill: ${hours}.`,
    since: (moment: string) => `Since ${moment}.`,
    ended: (moment: string, title: string) => `Resolved at ${moment}: ${title}.`,
    open: "Overview:",
    settings: (link: string) => `Change or stop these messages: ${link}`,
  },
};
