import type { englishDoctor } from "../en/doctor.js";
import { germanFault } from "./components.js";

const NTP = "stellen Sie sie und halten Sie sie mit NTP synchron (timedatectl set-ntp true).";
const MORE_MEMORY =
  "Mehr Speicher zuweisen oder den Editor abschalten (node_red.enabled: false), das spart über 100 MB.";

const withoutFullStop = (text: string) => text.replace(/\.$/, "");

export const germanDoctor: typeof englishDoctor = {
  looking: "Wird geprüft …",
  verdicts: { ok: "ok", note: "Hinweis", warn: "Warnung", bad: "Fehler" },
  what: {
    configuration: "Konfiguration",
    clock: "Uhr",
    replay: "Replay-Uhr",
    folder: "Datenordner",
    disk: "Datenträger",
    state: "state.json",
    database: "Datenbank",
    node: "Node.js",
    memory: "Arbeitsspeicher",
    zones: "Zeitzonen",
    externalBroker: "externer Broker",
    mail: "Mailserver",
    redis: "Redis",
    postgres: "PostgreSQL",
    httpPort: "HTTP-Port",
    mqttPort: "MQTT-Port",
    wsPort: "MQTT-WebSocket-Port",
    broker: "MQTT-Broker",
    encryption: "Verschlüsselung",
    gateway: "Gateway",
    component: (name) => `Komponente ${name}`,
    price: (name) => `Preisquelle ${name}`,
    weather: (name) => `Wetterquelle ${name}`,
    prices: "Preisquellen",
    weathers: "Wetterquellen",
    tariff: (plant) => `Tarif von ${plant}`,
    device: (plant, id) => `Gerät ${plant}/${id}`,
    plant: (plant) => `Anlage ${plant}`,
  },
  tariff: {
    ends: (date) =>
      `Seine Beträge sind bis ${date} bekannt. Für die Zeit danach einen Zeitraum mit valid_from ergänzen.`,
    levyEnds: (name, date) =>
      `Die Abgabe „${name}“ endet am ${date}, ohne dass eine folgt. Gilt sie weiter, einen Eintrag mit valid_from ergänzen.`,
  },
  configuration: { correct: (file) => `${file ?? "Keine Datei, Standardwerte"}: in Ordnung.` },
  replay: {
    set: (start) => `clock.start ist auf ${start} gesetzt: für den echten Betrieb entfernen.`,
  },
  clock: {
    unknown: "Keine Quelle hat ihre Uhrzeit mitgeteilt; prüfen Sie die Uhr selbst.",
    ok: (server) => `Stimmt mit ${server} überein.`,
    ahead: (seconds, server) => `Geht ${seconds} s vor gegenüber ${server}: ${NTP}`,
    behind: (seconds, server) => `Geht ${seconds} s nach gegenüber ${server}: ${NTP}`,
  },
  folder: {
    unusable: (message) => `Nicht benutzbar: ${message}`,
    ok: (folder) => `${folder} ist beschreibbar.`,
    otherOwner: (folder, owner, own) =>
      `${folder} gehört dem Benutzer ${owner}, diese Prüfung läuft als ${own}: Starten Sie sie als der Benutzer, unter dem das Gateway läuft.`,
    willBeMade: (folder) => `${folder} gibt es noch nicht; der erste Start legt ihn an.`,
    cannotBeMade: (folder, parent) =>
      `${folder} gibt es nicht und kann in ${parent} nicht angelegt werden; legen Sie ihn an oder ändern Sie data_dir.`,
  },
  disk: {
    ok: (free, folder) => `${free} sind auf dem Datenträger von ${folder} frei.`,
    low: (free, folder) =>
      `Nur ${free} sind auf dem Datenträger von ${folder} frei. Ein Jahr einer Anlage braucht etwa 100 MB.`,
    full: (free, folder) =>
      `Nur ${free} sind auf dem Datenträger von ${folder} frei. Schaffen Sie Platz: Bald kann nichts mehr gespeichert werden.`,
  },
  state: {
    none: "Gibt es noch nicht; der erste Start legt sie an.",
    ok: "Datei und Sicherung sind lesbar.",
    differs: "Datei und Sicherung unterscheiden sich; der nächste Start schreibt die Sicherung neu.",
    backupBroken: (fault) => `Die Sicherung ist ${fault}; der nächste Start schreibt sie neu.`,
    mainBroken: (fault) =>
      `Die Datei ist ${fault}; der nächste Start verwendet die intakte Sicherung und behält eine Kopie.`,
    bothBroken: (main, backup, path) =>
      `Die Datei ist ${main}, ihre Sicherung ${backup}: Stellen Sie ${path} aus Ihrer Sicherung wieder her, oder verschieben Sie beide, um ohne Konten und Schlüssel neu zu beginnen.`,
    later: (fault) =>
      `Die Datei ist ${fault}: Installieren Sie diese, oder stellen Sie eine Sicherung von vor der Aktualisierung wieder her.`,
    fault: {
      missing: () => "nicht vorhanden",
      empty: () => "leer",
      unreadable: (code) => `nicht lesbar (${code ?? "Grund unbekannt"})`,
      shape: () => "beschädigt (unbekannter Aufbau)",
      json: () => "beschädigt (kein gültiges JSON)",
      later: (version) => `von einer neueren Version von hourgate geschrieben, ${version}`,
    },
  },
  database: {
    ok: "Lässt sich öffnen; kein Gateway benutzt sie gerade.",
    inUse: "Wird vom laufenden Gateway benutzt.",
    locked: (folder) =>
      `Ein Prozess benutzt ${folder}, aber auf dem eingestellten HTTP-Port antwortet kein Gateway: Suchen Sie ein Gateway auf einem anderen Port oder eines, das hängt.`,
    broken: (message) => `Nicht benutzbar: ${message}`,
  },
  node: {
    ok: (version) => `Version ${version} ist geeignet.`,
    old: (version, oldest) =>
      `Version ${version} ist zu alt; installieren Sie ${oldest} oder neuer, am besten die neueste LTS-Version.`,
  },
  memory: {
    ok: (total, free) => `${total}, davon ${free} frei.`,
    small: (total, free) => `Nur ${total}, davon ${free} frei. ${MORE_MEMORY}`,
    low: (total, free) =>
      `${total}, davon ${free} frei. Das ist wenig: Prüfen Sie, was sonst hier läuft. ${MORE_MEMORY}`,
  },
  zones: {
    ok: (data) => `Wien ist bekannt, Daten: ${data ?? "vom System"}.`,
    bad: "Dieses Node.js kennt die Zeitzone Europe/Vienna nicht; installieren Sie eines mit vollständigen ICU-Daten (die offiziellen Pakete).",
  },
  externalBroker: {
    ok: (host) => `${host} nimmt die Anmeldung an.`,
    bad: (host, seconds, reason) =>
      `${host} nimmt die Anmeldung nicht innerhalb von ${seconds} s an${reason === "" ? "" : ` (${reason})`}; prüfen Sie mqtt.external.url, username und password, und ob der Broker läuft.`,
  },
  mail: {
    ok: (server) => `${server} nimmt die Anmeldung an; es wurde keine Mail gesendet.`,
    denied: (server) => `${server} lehnt die Anmeldung ab; prüfen Sie smtp.username und smtp.password.`,
    unusable: (server, code) =>
      `${server} ist nicht benutzbar (${code ?? "Grund unbekannt"}); prüfen Sie smtp.host, port und secure. Bis dahin werden Mails im Ausgangsordner gespeichert.`,
    silent: (server, seconds) =>
      `${server} antwortet nicht innerhalb von ${seconds} s; prüfen Sie smtp.host und smtp.port.`,
  },
  redis: {
    ok: (address) => `${address} antwortet.`,
    silent: "keine Antwort",
    bad: (address, reason) =>
      `${address} ist nicht verfügbar (${reason}); prüfen Sie redis.url, username und password. Bis dahin zählt jedes Gateway für sich.`,
  },
  postgres: {
    ok: (address, version) => `${address} antwortet (Version ${version}).`,
    bad: (address, problem) =>
      `${address} ist nicht benutzbar (${problem}). Prüfen Sie store.postgres.url und ob der Server läuft; bis dahin startet das Gateway nicht.`,
  },
  port: {
    any: "Ein beliebiger freier Port wird benutzt.",
    free: (port) => `${port} ist frei.`,
    takenHttp: (port) =>
      `Ein anderes Programm benutzt ${port}: beenden Sie es oder setzen Sie http.port auf einen freien Port.`,
    takenMqtt: (port) =>
      `Ein anderes Programm benutzt ${port}, oft ist es Mosquitto: Beenden Sie es, setzen Sie mqtt.broker.port auf einen freien Port, oder verwenden Sie diesen Broker mit mqtt.external.url.`,
    takenWs: (port) =>
      `Ein anderes Programm benutzt ${port}: beenden Sie es oder setzen Sie mqtt.broker.ws_port auf einen freien Port.`,
    forbidden: (port, key) =>
      `Dieser Benutzer darf Port ${port} nicht öffnen; setzen Sie ${key} auf einen Port über 1023.`,
    unusable: (address, code, key) =>
      `${address} ist nicht benutzbar (${code}); prüfen Sie ${key} und den Host daneben.`,
    anyServed: "Das Gateway benutzt einen beliebigen freien Port.",
    served: (port) => `Das Gateway nimmt Verbindungen auf ${port} an.`,
    notServed: (port, key) =>
      `Das Gateway läuft, aber auf ${port} antwortet nichts: Prüfen Sie das Protokoll, und starten Sie es neu, wenn ${key} geändert wurde.`,
    encrypted: "HTTP und MQTT haben TLS; die Ports ohne TLS bleiben für Geräte offen, die keines können.",
    plain: (keys) =>
      `Schlüssel und Passwörter werden im lokalen Netz im Klartext übertragen, weil ${keys.join(" und ")} nicht gesetzt ${keys.length > 1 ? "sind" : "ist"}. Geben Sie die Ports nicht ins Internet frei; „hourgate tls create“ erzeugt ein Zertifikat.`,
    plainPublic: (keys, address) =>
      `Schlüssel und Passwörter werden womöglich im Klartext durch das Internet übertragen: Dieser Rechner hat die öffentliche Adresse ${address}, und ${keys.join(" und ")} ${keys.length > 1 ? "sind" : "ist"} nicht gesetzt. Richten Sie TLS ein („hourgate tls create“ erzeugt ein Zertifikat), oder binden Sie das Gateway an 127.0.0.1 und setzen Sie einen Proxy mit TLS davor.`,
    plainHere: "HTTP und MQTT ohne TLS sind nur von diesem Rechner aus erreichbar.",
    noBroker: "Keiner eingerichtet: Nichts wird über MQTT veröffentlicht.",
  },
  device: {
    broker: "Es wird vom laufenden Gateway über MQTT gelesen; starten Sie es, um seine Werte zu sehen.",
    ok: (address, model, count) => `${model} unter ${address} antwortet mit ${count} Werten.`,
    partly: (address, missing) =>
      `Das Gerät unter ${address} antwortet, hat aber keinen Wert für ${missing}: prüfen, ob die Vorlage zum Modell passt und ob Zähler oder Batterie daran angeschlossen sind; sonst die Rolle in reads weglassen.`,
    nothing: (address, reason) =>
      `Das Gerät unter ${address} antwortet, liefert aber keine Werte${reason === "" ? "" : ` (${reason})`}: Vorlage und Unit prüfen.`,
    silent: (address, reason) =>
      `Das Gerät unter ${address} antwortet nicht${reason === "" ? "" : ` (${reason})`}: prüfen, ob es eingeschaltet ist, Adresse und Port, und ob seine Schnittstelle aktiviert ist; hourgate devices find sucht es. Viele Geräte antworten nur einem Programm zugleich.`,
    stranger: (address, serial, wanted) =>
      `Unter ${address} ist das Gerät mit der Seriennummer ${serial} statt ${wanted}: Der Router hat die Adresse neu vergeben. Mit hourgate devices find suchen, oder serial ändern, wenn es getauscht wurde.`,
    template: (address, template, fitting) =>
      `Das Gerät unter ${address} antwortet nicht als „${template}“, sondern als ${fitting}: die Vorlage ändern.`,
  },
  gateway: {
    anyPort: "http.port ist 0; ein laufendes Gateway kann daher nicht gefunden werden.",
    none: "Auf dem eingestellten Port läuft kein Gateway; starten Sie es mit: hourgate serve.",
    other: (base, message) =>
      `${base} antwortet nicht wie ein Gateway (${message}) Prüfen Sie das Protokoll, oder finden Sie heraus, welches andere Programm den Port benutzt.`,
    version: (base, version, installed) =>
      `Auf ${base} läuft Version ${version}, installiert ist ${installed}: Starten Sie das Gateway neu.`,
    ready: (version, base) => `hourgate ${version} läuft auf ${base} und ist bereit.`,
    fleet: (base) => `Ein Prozess der Flotte antwortet auf ${base}; siehe hourgate fleet status.`,
    notReady: (version, base) =>
      `hourgate ${version} läuft auf ${base}, hat aber noch keine Prognose; prüfen Sie in ein paar Sekunden noch einmal.`,
    componentSince: (since) => `Seit ${since}.`,
    componentState: (state, since) =>
      `Zustand ${state} seit ${since}; mehr steht im Protokoll, oder hier mit owner.key in der Konfiguration.`,
  },
  sources: {
    withoutPrices: "rechnet das Gateway mit den vorhandenen Preisen, danach mit seiner Prognose",
    withoutWeather: "rechnet das Gateway mit dem vorhandenen Wetter, danach mit Klimawerten",
    none: (without) => `Keine eingerichtet; so ${without}.`,
    silent: (seconds) => `Keine Antwort innerhalb von ${seconds} s.`,
    failed: (message, fault) =>
      fault === undefined || fault.kind === "other"
        ? `Die Antwort ist nicht verwendbar (technische Meldung: ${withoutFullStop(message)}).`
        : germanFault(fault),
    file: {
      missing: (path) => `${path} gibt es nicht.`,
      unreadable: (path, reason) => `${path} ist nicht lesbar (${withoutFullStop(reason)}).`,
      content: (path, reason) =>
        `${path} hat nicht das erwartete Format (technische Meldung: ${withoutFullStop(reason)}).`,
    },
    adviceNetwork: "Prüfen Sie Netzwerk, DNS und Firewall",
    adviceFile: "Korrigieren Sie die Datei oder ihren Pfad",
    otherServes: (fault) =>
      `${fault} Eine andere Quelle liefert; prüfen Sie die Einstellungen dieser Quelle.`,
    noneServes: ({ fault, advice, without }) => `${fault} ${advice}; bis dahin ${without}.`,
    topic: (topic) =>
      `Preise kommen mit der nächsten Nachricht auf ${topic}; eine gespeicherte (retained) sofort.`,
    noPrices: "Antwortet, hat aber keinen Preis für gestern, heute oder morgen.",
    notCurrent: (count, now) =>
      `Antwortet mit ${count} Preisen, aber keinem für die laufende Stunde (${now}).`,
    partly: (warning) => `Antwortet, aber nicht alles ist verwendbar: ${warning}`,
    prices: (count, until) => `${count} Preise, lückenlos bis ${until}.`,
    noLocation:
      "Nicht abgefragt: Für keine Anlage ist ein Standort eingetragen; setzen Sie latitude und longitude.",
    noWeather: (now) => `Antwortet, aber ohne Stunden nach ${now}.`,
    weather: (hours) => `Wetter für die nächsten ${hours} Stunden.`,
  },
};
