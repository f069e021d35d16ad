import type { SourceFault } from "../../core/domain/source-fault.js";
/** What `hourgate doctor` examines and finds. `message` and `reason` are technical texts of an error, in English. */
export const englishDoctor = {
  looking: "Checking …",
  verdicts: { ok: "ok", note: "note", warn: "warn", bad: "bad" },
  what: {
    configuration: "configuration",
    clock: "clock",
    replay: "replay clock",
    folder: "data folder",
    disk: "disk",
    state: "state.json",
    database: "database",
    node: "Node.js",
    memory: "memory",
    zones: "time zones",
    externalBroker: "external broker",
    mail: "mail server",
    redis: "Redis",
    postgres: "PostgreSQL",
    httpPort: "HTTP port",
    mqttPort: "MQTT port",
    wsPort: "MQTT WebSocket port",
    broker: "MQTT broker",
    encryption: "encryption",
    gateway: "gateway",
    component: (name: string) => `component ${name}`,
    price: (name: string) => `price source ${name}`,
    weather: (name: string) => `weather source ${name}`,
    prices: "price sources",
    weathers: "weather sources",
    tariff: (plant: string) => `tariff of ${plant}`,
    device: (plant: string, id: string) => `device ${plant}/${id}`,
    plant: (plant: string) => `plant ${plant}`,
  },
  tariff: {
    ends: (date: string) =>
      `Its amounts are known until ${date}. Add a period with valid_from for the time after it.`,
    levyEnds: (name: string, date: string) =>
      `The levy "${name}" ends on ${date} and nothing replaces it. If it continues, add an entry with valid_from.`,
  },
  configuration: { correct: (file: string | undefined) => `${file ?? "No file, the defaults"}: correct.` },
  replay: {
    set: (start: string) => `clock.start is set to ${start}: remove it for real operation.`,
  },
  clock: {
    unknown: "No source answered with its time, so the clock could not be compared; check it yourself.",
    ok: (server: string) => `It agrees with ${server}.`,
    ahead: (seconds: number, server: string) =>
      `It is ${seconds} s ahead of ${server}: set it and keep it synchronised with NTP (timedatectl set-ntp true).`,
    behind: (seconds: number, server: string) =>
      `It is ${seconds} s behind ${server}: set it and keep it synchronised with NTP (timedatectl set-ntp true).`,
  },
  folder: {
    unusable: (message: string) => message,
    ok: (folder: string) => `${folder} can be written.`,
    otherOwner: (folder: string, owner: number, own: number) =>
      `${folder} belongs to user ${owner}, this is user ${own}: run the doctor as the user that runs the gateway.`,
    willBeMade: (folder: string) => `${folder} does not exist yet; the first start creates it.`,
    cannotBeMade: (folder: string, parent: string) =>
      `${folder} does not exist and cannot be created in ${parent}; create it or set another data_dir.`,
  },
  disk: {
    ok: (free: string, folder: string) => `${free} are free on the disk of ${folder}.`,
    low: (free: string, folder: string) =>
      `Only ${free} are free on the disk of ${folder}. A year of one plant takes about 100 MB.`,
    full: (free: string, folder: string) =>
      `Only ${free} are free on the disk of ${folder}. Free some space: soon nothing can be saved.`,
  },
  state: {
    none: "It does not exist yet; the first start creates it.",
    ok: "It and its backup are readable.",
    differs: "It and its backup differ; the next start writes the backup again.",
    backupBroken: (fault: string) => `Its backup is ${fault}; the next start writes it again.`,
    mainBroken: (fault: string) => `It is ${fault}; the next start uses its intact backup and keeps a copy.`,
    bothBroken: (main: string, backup: string, path: string) =>
      `It is ${main} and its backup ${backup}: restore ${path} from your backup, or move both away to start without accounts and keys.`,
    later: (fault: string) =>
      `It is ${fault}: install that version, or restore a backup from before the upgrade.`,
    fault: {
      missing: () => "missing",
      empty: () => "empty",
      unreadable: (code: string | undefined) => `unreadable (${code ?? "unknown reason"})`,
      shape: () => "damaged (its structure is unknown)",
      json: () => "damaged (it is not valid JSON)",
      later: (version: string | undefined) => `written by a later version of hourgate, ${version}`,
    },
  },
  database: {
    ok: "It can be opened; no gateway uses it now.",
    inUse: "A running gateway uses it.",
    locked: (folder: string) =>
      `A process uses ${folder}, but no gateway answers on the configured HTTP port: look for a gateway on another port, or one that hangs.`,
    broken: (message: string) => message,
  },
  node: {
    ok: (version: string) => `Version ${version}.`,
    old: (version: string, oldest: string) =>
      `Version ${version} is too old; install ${oldest} or later, preferably the newest LTS release.`,
  },
  memory: {
    ok: (total: string, free: string) => `${total}, of which ${free} are free.`,
    small: (total: string, free: string) =>
      `Only ${total}, of which ${free} are free. Give it more, or disable the editor (node_red.enabled: false), which saves over 100 MB.`,
    low: (total: string, free: string) =>
      `${total}, of which ${free} are free. That is little: check what else runs here. Give it more, or disable the editor (node_red.enabled: false), which saves over 100 MB.`,
  },
  zones: {
    ok: (data: string | undefined) => `Vienna is known, data of ${data ?? "the system"}.`,
    bad: "This Node.js does not know the time in Vienna; install one with full ICU data (the official builds).",
  },
  externalBroker: {
    ok: (host: string) => `${host} accepts the sign-in.`,
    bad: (host: string, seconds: number, reason: string) =>
      `${host} does not accept the gateway within ${seconds} s${reason === "" ? "" : ` (${reason})`}; check mqtt.external.url, username and password, and that the broker runs.`,
  },
  mail: {
    ok: (server: string) => `${server} accepts the sign-in; no mail was sent.`,
    denied: (server: string) => `${server} rejects the sign-in; check smtp.username and smtp.password.`,
    unusable: (server: string, code: string | undefined) =>
      `${server} cannot be used (${code ?? "unknown reason"}); check smtp.host, port and secure. Until then mails are saved in the outbox.`,
    silent: (server: string, seconds: number) =>
      `${server} does not answer within ${seconds} s; check smtp.host and smtp.port.`,
  },
  redis: {
    ok: (address: string) => `${address} answers.`,
    silent: "it did not answer",
    bad: (address: string, reason: string) =>
      `${address} is not available (${reason}); check redis.url, username and password. Until then each gateway counts for itself.`,
  },
  postgres: {
    ok: (address: string, version: number) => `${address} answers (version ${version}).`,
    bad: (address: string, problem: string) =>
      `${address} cannot be used: ${problem}. Check store.postgres.url and that the server runs; until then the gateway does not start.`,
  },
  port: {
    any: "Any free port is used.",
    free: (port: number) => `${port} is free.`,
    takenHttp: (port: number) => `Another program uses ${port}: stop it or set http.port to a free port.`,
    takenMqtt: (port: number) =>
      `Another program uses ${port}: often it is Mosquitto. Stop it, set mqtt.broker.port to a free port, or use that broker with mqtt.external.url.`,
    takenWs: (port: number) =>
      `Another program uses ${port}: stop it or set mqtt.broker.ws_port to a free port.`,
    forbidden: (port: number, key: string) =>
      `This user may not listen on ${port}; set ${key} to a port above 1023.`,
    unusable: (address: string, code: string, key: string) =>
      `${address} cannot be used (${code}); check ${key} and the host next to it.`,
    anyServed: "The gateway uses any free port.",
    served: (port: number) => `The gateway accepts connections on ${port}.`,
    notServed: (port: number, key: string) =>
      `The gateway runs, but nothing listens on ${port}: check its log, and restart it if ${key} was changed.`,
    encrypted: "HTTP and MQTT have TLS; their plain ports stay open for devices without it.",
    plain: (keys: readonly string[]) =>
      `Keys and passwords cross the local network in clear text, because ${keys.join(" and ")} ${keys.length > 1 ? "are" : "is"} not set. Do not open the ports to the internet; "hourgate tls create" creates a certificate.`,
    plainPublic: (keys: readonly string[], address: string) =>
      `Keys and passwords may cross the internet in clear text: this machine has the public address ${address}, and ${keys.join(" and ")} ${keys.length > 1 ? "are" : "is"} not set. Set TLS ("hourgate tls create" creates a certificate), or listen on 127.0.0.1 behind a proxy with TLS.`,
    plainHere: "HTTP and MQTT without TLS can be reached from this machine only.",
    noBroker: "None is configured: nothing is published over MQTT.",
  },
  device: {
    broker: "It is read over MQTT by the running gateway; start it to see its values.",
    ok: (address: string, model: string, count: number) =>
      `${model} at ${address} answers with ${count} readings.`,
    partly: (address: string, missing: string) =>
      `The device at ${address} answers, but has no value for ${missing}: check that the template fits its model, and that the meter or battery is connected to it; or leave the role out of reads.`,
    nothing: (address: string, reason: string) =>
      `The device at ${address} answers, but gives no values${reason === "" ? "" : ` (${reason})`}: check template and unit.`,
    silent: (address: string, reason: string) =>
      `The device at ${address} does not answer${reason === "" ? "" : ` (${reason})`}: check that it is on, its address and port, and that its interface is switched on; hourgate devices find looks for it. Many devices answer to one program at a time only.`,
    stranger: (address: string, serial: string, wanted: string) =>
      `At ${address} is the device with serial number ${serial} instead of ${wanted}: the router has given its address away. Find it with hourgate devices find, or change serial if it was replaced.`,
    template: (address: string, template: string, fitting: string) =>
      `The device at ${address} does not answer as "${template}", but as ${fitting}: change the template.`,
  },
  gateway: {
    anyPort: "http.port is 0, so a running gateway cannot be found from here.",
    none: "No gateway runs on the configured port; start one with: hourgate serve.",
    other: (base: string, message: string) =>
      `${base} does not answer as a gateway does: ${message} Check its log, or find out which other program uses the port.`,
    version: (base: string, version: string, installed: string) =>
      `${base} runs version ${version}, installed is ${installed}: restart the gateway.`,
    ready: (version: string, base: string) => `hourgate ${version} runs on ${base} and is ready.`,
    fleet: (base: string) => `A process of the fleet answers on ${base}; see hourgate fleet status.`,
    notReady: (version: string, base: string) =>
      `hourgate ${version} runs on ${base}, but has no forecast yet; check again in a few seconds.`,
    componentSince: (since: string) => `Since ${since}.`,
    componentState: (state: string, since: string) =>
      `It has been ${state} since ${since}; see its log, or run the doctor with owner.key in the configuration.`,
  },
  sources: {
    withoutPrices: "the gateway continues with the prices it has, then with its forecast",
    withoutWeather: "the gateway continues with the weather it has, then with average values",
    none: (without: string) => `None is configured; ${without}.`,
    silent: (seconds: number) => `No answer within ${seconds} s.`,
    failed: (message: string, _fault: SourceFault | undefined) => message,
    file: {
      missing: (path: string, _reason: string) => `${path} cannot be read: there is no such file.`,
      unreadable: (path: string, reason: string) => `${path} cannot be read: ${reason}`,
      content: (path: string, reason: string) => `${path} cannot be used: ${reason}`,
    },
    adviceNetwork: "Check network, DNS and firewall",
    adviceFile: "Correct the file or its path",
    otherServes: (fault: string) => `${fault} Another source is in use; check the settings of this one.`,
    noneServes: ({ fault, advice, without }: { fault: string; advice: string; without: string }) =>
      `${fault} ${advice}; until then ${without}.`,
    topic: (topic: string) =>
      `Prices arrive with the next message on ${topic}; a retained one arrives immediately.`,
    noPrices: "It answers, but has no price for yesterday, today or tomorrow.",
    notCurrent: (count: number, now: string) =>
      `It answers with ${count} prices, none of them for the current hour (${now}).`,
    partly: (warning: string) => `It answers, but not all of it can be used: ${warning}`,
    prices: (count: number, until: string) => `${count} prices, without a gap until ${until}.`,
    noLocation: "Not queried: no plant has a location; set its latitude and longitude.",
    noWeather: (now: string) => `It answers, but without any hour after ${now}.`,
    weather: (hours: number) => `Weather of ${hours} hours ahead.`,
  },
};
