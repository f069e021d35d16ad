/** What is wrong with a configuration: sentences that follow the key, and their parts. */
export const englishConfig = {
  correct: (file: string | undefined, plants: string) =>
    `${file ?? "No file, the defaults"}: correct. Plants: ${plants}.`,
  didYouMean: (word: string) => ` Did you mean "${word}"?`,
  or: ", or ",
  allowed: {
    boolean: "true or false",
    integer: "a whole number",
    number: "a number",
    above: (limit: string) => `above ${limit}`,
    from: (limit: string) => `from ${limit}`,
    fromTo: (low: string, high: string) => `from ${low} to ${high}`,
    below: (limit: string) => `below ${limit}`,
    to: (limit: string) => `up to ${limit}`,
    /** The unit of the schema. */
    unit: (unit: string) => unit,
    listOf: (count: number) => `a list of ${count} entries`,
    list: (least: number | undefined, most: number | undefined) => {
      const from = least === undefined ? "" : ` of at least ${least}`;
      const to = most === undefined ? "" : `${from === "" ? " of" : " and"} at most ${most}`;
      return from + to === "" ? "a list" : `a list${from}${to} entries`;
    },
    each: (entry: string) => `, each ${entry}`,
    section: "a section of keys",
    text: (least: number | undefined, most: number | undefined) =>
      least !== undefined
        ? `text of ${least} to ${most ?? "any number of"} characters`
        : most === undefined
          ? "text"
          : `text of at most ${most} characters`,
    oneOf: (values: string) => `one of ${values}`,
    formats: {
      auto: "auto",
      path: "the path of a file or folder",
      "host-port": "a host name or an IP address, with or without a port, such as 192.168.1.40:80",
      host: "a host name or an IP address",
      email: "an e-mail address",
      "http-url": "an address that starts with http:// or https://",
      "mqtt-url": "an address that starts with mqtt://, mqtts://, ws:// or wss://",
      "redis-url": "an address that starts with redis:// or rediss://, such as redis://localhost:6379",
      "postgres-url":
        "an address that starts with postgresql:// and ends with the name of a database, such as postgresql://hourgate:secret@localhost/hourgate",
      network: "an address or a network such as 192.168.1.0/24",
      "base-path": "a path without a slash at its end, such as /hourgate, or ingress",
      "url-path": "a path such as /node-red",
      time: "an ISO 8601 time such as 2026-01-15T06:00:00+01:00",
      "hour-minute": 'a time of day as HH:MM, such as "13:00"',
      "clock-time": 'a time of day, "00:00" to "24:00"',
      date: 'a date as YYYY-MM-DD, such as "2026-01-01"',
      "time-zone": "an IANA time zone such as Europe/Vienna",
      "iana-zone": "an IANA time zone name such as Europe/Vienna",
      cron: 'a cron pattern such as "5 */6 * * *"',
      "month-range": 'two months from 1 to 12, such as "4-9"',
      "weekday-range": 'two days from 1 (Monday) to 7, such as "1-5"',
      "hour-range": 'a start hour from 0 to 23 and an end hour from 0 to 24, such as "10-16"',
      "plant-id": "1 to 32 characters of a-z, 0-9, _ and -",
      "api-key": "hg_live_ followed by 43 characters of A-Z, a-z, 0-9, - and _",
      "mqtt-prefix": "a topic without + and #, without / at its ends, that does not start with evcc or $",
      "mqtt-topic": "an MQTT topic without wildcards",
      "mqtt-filter": "an MQTT topic, where + matches one level and a final # all levels below",
    },
  },
  found: {
    nothing: "nothing",
    list: (count: number) => (count === 1 ? "a list of 1 entry" : `a list of ${count} entries`),
    section: "a section of keys",
    text: "text",
    kind: (kind: string) => `a ${kind}`,
    quoted: (text: string) => `the text ${JSON.stringify(text)}`,
  },
  schema: {
    must: (allowed: string, found: string) => `must be ${allowed}; found ${found}.`,
    quotes: " Put it in quotes.",
    missing: (allowed: string | undefined) =>
      allowed === undefined ? "is missing." : `is missing: must be ${allowed}.`,
    unknown: "is not a known key.",
    unknownHere: (path: string) => `is not a known key here. Did you mean "${path}"?`,
    keyOfEntry: (list: string) =>
      `is a key of the entries of a list: write "- " before the first key of ${list}, and indent the others as far.`,
    unknownAmong: (known: string) => `is not a known key; known here: ${known}.`,
  },
  file: {
    cannotRead: (fault: string, example: string) =>
      `cannot be read: ${fault} Name an existing file with --config or HOURGATE_CONFIG, or copy the example ${example}; an empty file means all defaults.`,
    readableByAll: (path: string, key: string) =>
      `${path} can be read by every user of this machine and contains a password or key (${key}): run "chmod 600 ${path}", with the user of hourgate as its owner.`,
    notSection: "must be a section of keys, such as data_dir and http, each with a colon and its value.",
    unusable: (fault: string) => `cannot be used: ${fault}`,
    secret: (fault: string) => `cannot be read from its file: ${fault}`,
    empty: "the file is empty.",
    missing: (path: string) => `there is no file ${path}.`,
    folder: (path: string) => `${path} is a folder.`,
    tooLarge: (path: string, megabytes: number) =>
      `${path} is larger than ${megabytes} MB; is it another file?`,
    forbidden: (path: string) => `${path} may not be read by this user; check its permissions.`,
    failed: (path: string, code: string | undefined) =>
      `${path} cannot be opened (${code ?? "unknown reason"}).`,
    missingOf: (path: string) => `there is no file ${path}; set the path of a file that hourgate can read.`,
    unreadableOf: (reason: string) => `${reason}; set the path of a file that hourgate can read.`,
  },
  yaml: {
    unreadable: (reason: string | undefined) =>
      `is not readable as YAML: ${reason ?? "the text is incomplete or malformed"}.`,
    malformed: "is not readable as YAML: it is nested too deeply or malformed.",
    tooDeep: "is nested too deeply, or uses anchors and aliases in a circle or too often.",
    syntax: {
      BAD_ALIAS:
        "a value that starts with * refers to an anchor that does not exist here; put it in quotes if it is text",
      BAD_INDENT: "the indentation does not fit the lines above",
      BAD_SCALAR_START:
        "a value starts with a character that has a meaning in YAML (@ ` % …); put it in quotes",
      BLOCK_IN_FLOW: "an indented list or section is inside [ ] or { }",
      DUPLICATE_KEY: "the same key occurs twice in this section; keep one",
      MISSING_CHAR: "a closing quote, bracket, brace or comma is missing",
      MULTIPLE_DOCS: "a second document begins here (---); one file holds one configuration",
      TAB_AS_INDENT: "a tab is used to indent; YAML takes spaces only",
      TAG_RESOLVE_FAILED: "a value that starts with ! names an unknown tag; put it in quotes if it is text",
      BAD_DIRECTIVE: "a line that starts with % names an unknown directive",
      UNEXPECTED_TOKEN: "YAML does not expect this text here",
      MULTILINE_IMPLICIT_KEY: "a key and its value run over several lines; is a colon missing?",
      BLOCK_AS_IMPLICIT_KEY:
        "there is a second key on this line; begin a new line or put the value in quotes",
    },
  },
  environment: {
    meant: (variable: string) => `is not a known key. Did you mean ${variable}?`,
    twice: (variable: string) => `is also set by ${variable}; keep one of them.`,
    ignored: (variable: string, meant: string) =>
      `${variable} is ignored; sections are joined by two underscores: ${meant}.`,
    insideList: "is inside a list of the file; use the number of an entry.",
    noEntry: (entry: string, count: number) =>
      `names entry ${entry} of a list of ${count}; the next entry has the number ${count}.`,
    insideValue: "is inside a value of the file that is not a section.",
  },
  tariff: {
    range: (example: string, found: string) => `must be a range such as ${example}, not "${found}".`,
    time: (found: string) => `must be a time of day such as 10:00, not "${found}".`,
    shares: "must be one number, or 24 numbers by local hour.",
    fixed: "is missing: a fixed price needs it.",
    monthly: "is missing: give a price by month, such as 2026-07: 9.4.",
    windows: "is missing: give the windows with their prices.",
    unknown: (found: string) => `"${found}" is unknown.`,
    feedInFixed: "must be given when feed_in.type is fixed.",
    factor: "is missing: the type factor needs it.",
    start: "is missing: only the first period may leave it out.",
    hole: (date: string) =>
      `leaves a gap: the period before is known until ${date}; begin on the day after it, add a period, or leave out its known_until.`,
    after: (date: string) => `must be after ${date}, that of the period before.`,
    none: "must have at least one period.",
  },
  rules: {
    fleetNeeds: (keys: string) => `also needs ${keys}.`,
    fleetAddress:
      "must start with http://: the fleet encrypts the connections of its routers itself, without certificates.",
    fleetExcludes: "must be null in a fleet: each shard has its own.",
    basePath: "needs the address of the proxy in http.trust_proxy.",
    proxies:
      "must list the addresses or networks of the proxies, such as [127.0.0.1]; true would let every client choose its address.",
    ports: (other: string, port: number) => `must differ from ${other}; both are ${port}.`,
    severalBatteries: (ids: string) =>
      `names battery, but the plant has several (${ids}): a device is for the only battery of a plant. Publish the readings of each one under its id, or set battery instead of batteries.`,
    readTwice: (role: string, other: string) =>
      `names ${role}, which the device ${other} reads already: take it from one of them, or set fallback: true for the one that is used while the other has no values.`,
    unique: (other: string, value: string | number) => `must be unique; ${other} is also ${value}.`,
    below: (other: string, limit: number, found: number) =>
      `must be below ${other} (${limit}); found ${found}.`,
    notBelow: (other: string, limit: number, found: number) =>
      `must not be below ${other} (${limit}); found ${found}.`,
    notAbove: (other: string | undefined, limit: number, found: number) =>
      `must not exceed ${other ?? "the largest charging power"} (${limit}); found ${found}.`,
    batteryAndBatteries: "cannot be combined with batteries: move it there as an entry with an id.",
    location: "is missing: latitude and longitude are given together.",
    feedInPrice: "is missing: a fixed feed-in price needs its ct_kwh.",
    noWeight: "must have at least one weight over 0.",
    noShare: "must have at least one value over 0.",
    hole: (month: number, weekday: number, time: string, key: string) =>
      `leave a gap (month ${month}, weekday ${weekday}, ${time}): add a window without times as the first one, or ${key}.ct_kwh for the other times.`,
    plantId: (ids: string) => `must be the id of a plant (${ids}).`,
    together: (other: string) => `cannot be combined with ${other}; keep one.`,
    noBatteries: "must be left out: the plant has no entries in batteries.",
    batteryId: (ids: string) => `must be the id of an entry in batteries (${ids}).`,
    inverterId: (id: string, ids: string) =>
      ids === ""
        ? `needs an entry with its power in inverters of the plant, such as inverters: [{ id: ${id}, kw: 5 }].`
        : `must be the id of an entry in inverters (${ids}).`,
    inverterUnused: (id: string) =>
      `is not named by any array: set inverter: ${id} at its arrays in pv, or remove the entry.`,
    inverterKw: (id: string) =>
      `cannot be combined with inverter: the limit is kw of ${id} in inverters; remove one of them.`,
    reading: (where: "battery" | "site" | "slot", allowed: string, found: string) =>
      `${{ battery: "with battery", site: "without slot", slot: "with slot" }[where]} must be one of ${allowed}; found ${found}.`,
    token: "is missing: entsoe needs a token or a token_file.",
    meaningless: (type: string, instead: string) => `does not apply to type ${type}; set ${instead}.`,
    windowHours: "is missing: window_start_hour and window_end_hour are given together.",
    energyAndHours: "cannot be combined with energy_kwh; keep one of them.",
    onlyKind: (kind: string, found: string) => `is only possible for kind ${kind}; found kind ${found}.`,
    departure: 'must have a time for at least one weekday, such as { mon: "07:00" }.',
    storePower: "is missing: a store needs the power of its heating element.",
  },
};
