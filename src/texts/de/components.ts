import type { ActuatorFault, ActuatorPhase } from "../../core/domain/actuator.js";
import type { ComponentSentenceTexts } from "../../core/domain/component-sentence.js";
import type { SourceFault } from "../../core/domain/source-fault.js";
import { VIENNA } from "../../core/time/zone.js";
import type { englishComponentNames } from "../en/components.js";
import { germanDeviceStates } from "./device-states.js";

const LOG = "Einzelheiten stehen im Protokoll.";

const KINDS = { price: "Preisquelle", weather: "Wetterquelle" };

export const germanComponentSentences: ComponentSentenceTexts = {
  battery_soc_stale: () => "Der Ladestand ist nicht aktuell; der Plan schreibt ihn fort.",
  battery_following: () => "Die Batterie folgt den Befehlen.",
  battery_not_following: ({ cause }: { cause: string }) =>
    `Die Batterie folgt den Befehlen nicht (${cause}).`,
  device_takes_nothing: ({ device, since }) =>
    `${device} ist seit ${moment(since)} eingeschaltet und nimmt keine Energie auf; die Energie wird neu eingeplant.`,
  tank_sensor_silent: ({ device, since }) =>
    `${device} meldet seit ${moment(since)} keine neue Temperatur; sie wird geschätzt. Prüfen Sie den Fühler.`,
  tank_not_hot: ({ device, celsius }) =>
    `${device} ist gegen Legionellen nicht ${celsius} °C heiß geworden: Wahrscheinlich schaltet das Thermostat vorher ab. Stellen Sie es höher oder legionella_c niedriger; der nächste Versuch ist am Sonntag.`,
  balance_open: ({ pvKw, gridKw, homeKw, batteryKw, reversed }) =>
    `Die Messwerte passen nicht zusammen: PV ${kilowatt(pvKw)} + Netz ${kilowatt(gridKw)} ≠ Haus ${kilowatt(homeKw)} + Batterie ${kilowatt(batteryKw)} kW. ${
      reversed === null
        ? "Prüfen Sie, welche Geräte load_power_kw enthält (telemetry.load_without), und die Einheiten."
        : `Vielleicht ist das Vorzeichen ${reversed === "grid" ? "des Netzzählers" : "der Batterieleistung"} vertauscht.`
    }`,
  load_contains: ({ slots, isContained, setting }) =>
    `Nach Zähler, PV und Batterie enthält load_power_kw das Gerät ${slots} ${isContained ? "bereits" : "nicht"}: Setzen Sie telemetry.load_without der Anlage auf ${setting}.`,
  reading_held: ({ reading, value, used }) =>
    `${reading} meldet ${value}, was nach ${used} nicht möglich ist; es gilt ${used}, bis ein zweiter Messwert es bestätigt.`,
  temperature_held: ({ reading, value }) =>
    `${reading} meldet ${value} °C, was Wasser in einem Speicher nicht haben kann, und wird nicht verwendet. Die Einheit (°C) und den Fühler prüfen.`,
  counter_held: ({ reading, value, used }) =>
    `${reading} meldet ${value}, was nach ${used} nicht möglich ist; der Wert wird nicht verwendet, außer drei Messwerte in Folge stimmen überein, wie bei einem neuen Zähler. Zählt das Gerät in kWh?`,
  counter_unit: ({ reading, value, used }) =>
    `${reading} meldet ${value} nach ${used} und wird nicht verwendet: Hat die Einheit zwischen Wh und kWh gewechselt? Die Einheit des Geräts auf kWh stellen.`,
  power_held: ({ reading, value, least, most }) =>
    `${reading} meldet ${value} kW und wird nicht verwendet: Nach den Einstellungen sind ${least} bis ${most} kW möglich. Die Einheit des Geräts und die Einstellungen der Anlage prüfen.`,
  counter_replaced: ({ reading, value, before, at }) =>
    `${reading} ist am ${moment(at)} von ${before} auf ${value} gesprungen; der Sprung wird nicht gezählt. Wurde der Zähler getauscht?`,
  power_above_settings: ({ reading, value, most, at }) =>
    `${reading} meldet seit ${moment(at)} ${value} kW, mehr als die nach den Einstellungen möglichen ${most} kW; ist das Gerät größer, die Leistung in den Einstellungen anpassen.`,
  readings_left_out: ({ count, reading, value, at }) =>
    `Unmögliche Messwerte, die seit dem Start nicht verwendet wurden: ${count}; der letzte ist ${reading} ${value} vom ${moment(at)}.`,
  actuator_phase: ({ phase, state, until }) =>
    germanPhaseText(phase, state, until === null ? "" : germanTime(until)),
  actuator_wait: ({ for: reason, until }) =>
    germanWaitText(reason, until === null ? null : germanTime(until)),
  actuator_experimental: () =>
    "Fakten zu diesem Gerät sind nicht geprüft: Seine Befehle werden nur gezeigt. Vor dem Einschalten einen Testlauf machen.",
  actuator_neighbour: ({ de }) => de,
  actuator_error: ({ fault }) => germanActuatorFaultTexts[fault],
  device_state: ({ state }) => germanDeviceStates[state],
  device_fault: ({ message }) => `Technische Meldung: ${message}`,
  store_ok: ({ folder }) => `Die Daten liegen in ${folder}.`,
  store_postgres: ({ address, shard }) => `Die Daten liegen in PostgreSQL auf ${address}, Shard ${shard}.`,
  store_failed: () => `Der Datenordner ist nicht benutzbar. ${LOG}`,
  store_full: () =>
    "Bis der Datenträger wieder beschrieben werden kann, wird nichts gespeichert; Prognose, Plan und Befehle laufen mit den bekannten Daten weiter.",
  store_postgres_failed: () => `Die PostgreSQL-Datenbank ist nicht benutzbar. ${LOG}`,
  sources_none: ({ kind }) => `Es ist keine ${KINDS[kind]} eingerichtet.`,
  sources_down: ({ kind }) => `Keine ${KINDS[kind]} ist verfügbar.`,
  sources_untried: ({ kind }) => `Noch keine ${KINDS[kind]} hat geantwortet.`,
  sources_serve: ({ names }) => `${names.join(" und ")} ${names.length > 1 ? "liefern" : "liefert"} Daten.`,
  source_failed: ({ source, fault }) => `${source}: ${germanFault(fault)}`,
  source_warning: ({ source }) => `${source}: Ein Teil der Daten ist nicht verwendbar. ${LOG}`,
  rest_serves: () => "Alle anderen Daten werden verwendet.",
  prices_short: () => "Die Preise enden früher als erwartet.",
  prices_held: ({ until }) => `Preise liegen lückenlos bis ${moment(until)} vor, danach gilt die Prognose.`,
  prices_missing: () => "Für die laufende Stunde liegt kein Preis vor; es gilt die Prognose.",
  weather_short: () => "Die Wettervorhersage endet früher als erwartet.",
  weather_held: ({ until }) => `Wetterdaten liegen bis ${moment(until)} vor, danach gelten Klimawerte.`,
  weather_missing: () => "Für die laufende Stunde liegen keine Wetterdaten vor; es gelten Klimawerte.",
  weather_no_location: () =>
    "Für keine Anlage ist ein Standort (Breite, Länge) eingetragen; es werden keine Wetterdaten abgerufen.",
  forecast_no_price: () => "Es ist kein Preis bekannt; verwendet werden Durchschnittspreise.",
  forecast_few_prices: () => "Es sind zu wenige Preise bekannt; verwendet werden Durchschnittspreise.",
  forecast_training_failed: () => `Das Training des Prognosemodells ist fehlgeschlagen. ${LOG}`,
  forecast_model: ({ model }) => `Prognosemodell: ${model}.`,
  forecast_published: ({ until }) => `Veröffentlichte Preise reichen bis ${moment(until)}.`,
  mail_ok: ({ server }) => `E-Mails werden über ${server} gesendet.`,
  mail_rejected: ({ server, reason }) =>
    `${server} hat die letzte E-Mail nicht angenommen (${reason}). Prüfen Sie die Einstellungen unter smtp.`,
  webhooks_ok: ({ registered }) => `${registered} eingerichtet, alle Zustellungen erfolgreich.`,
  webhooks_failing: ({ registered, failing }) =>
    `${failing} von ${registered} Webhooks sind nicht zustellbar.`,
  quotas_redis: ({ address }) => `Abfragen werden in Redis auf ${address} gezählt.`,
  quotas_memory: ({ address }) =>
    `Redis auf ${address} ist nicht erreichbar; dieses Gateway zählt Abfragen vorübergehend selbst.`,
  fleet_ok: ({ shard, shards, address }) =>
    `Dieser Worker bedient Teil ${shard} von ${shards}; seine Reservierung liegt in Redis auf ${address}.`,
  fleet_unleased: ({ shard, address, problem }) =>
    `Redis auf ${address} ist nicht erreichbar (${problem}): Dieser Worker bedient Teil ${shard} weiter, kein anderer kann ihn übernehmen.`,
  node_red_starting: () => "Node-RED startet.",
  node_red_missing: () =>
    "Der Editor Node-RED ist nicht installiert: Installieren Sie hourgate mit den optionalen Paketen (npm install --include=optional), oder setzen Sie node_red.enabled auf false.",
  node_red_ok: () => "Node-RED läuft.",
  node_red_failed: ({ message }) => `Node-RED läuft nicht. Meldung: ${message}`,
  node_red_closed_folder: ({ user, folder }) =>
    `Node-RED konnte nicht gestartet werden: Es läuft als Benutzer ${user} (node_red.uid), der den Ordner ${folder} nicht betreten darf. Geben Sie diesem Ordner den Modus 0711, oder verschieben Sie seinen Inhalt.`,
  node_red_no_folder: ({ folder, fault }) =>
    `Node-RED konnte nicht gestartet werden: Sein Ordner ${folder} ist nicht benutzbar (${fault}). Machen Sie ihn für hourgate beschreibbar.`,
  node_red_special_file: ({ path }) =>
    `Node-RED konnte nicht gestartet werden: ${path} ist keine Datei. Entfernen Sie den Eintrag, oder stellen Sie die Datei wieder her.`,
  node_red_damaged_secret: ({ path }) =>
    `Node-RED konnte nicht gestartet werden: ${path} ist beschädigt. Stellen Sie die Datei wieder her, oder löschen Sie sie und geben Sie die Zugangsdaten der Flows neu ein.`,
  node_red_restart: ({ seconds, safeMode }) =>
    `Neustart in ${seconds} s${safeMode ? ", ohne die Flows" : ""}.`,
  node_red_safe_mode: ({ minutes }) =>
    `Node-RED läuft ohne Flows, weil diese es wiederholt beendet haben. Korrigieren Sie die Flows im Editor und führen Sie Deploy aus; in ${minutes} min werden sie erneut gestartet.`,
  http_plain: ({ port }) =>
    `Port ${port} hat kein TLS: Passwörter und Schlüssel gehen im Klartext durch das Netzwerk. Setzen Sie http.tls („hourgate tls create“ erstellt ein Zertifikat).`,
  http_secure: ({ port }) =>
    `Port ${port} liefert das Portal mit HTTPS; die API und Controller-Links antworten auch ohne TLS.`,
  http_limits: ({ usage }) =>
    `Von HTTP-Clients belegt: ${usage.map(({ resource, used, limit, refused }) => `${resource} ${used} von ${limit}${refused === 0 ? "" : ` (${refused} seit dem Start abgewiesen)`}`).join(", ")}.`,
  broker_starting: () => "Der eingebaute Broker startet.",
  broker_joining: ({ url }) =>
    `Das Gateway ist noch nicht mit dem Broker ${url} verbunden; es versucht es jede Sekunde erneut.`,
  broker_embedded: ({ tcp, ws, tls, wss }) =>
    [
      `Der eingebaute Broker ist auf Port ${tcp}`,
      ws === undefined ? "" : ` und für WebSocket auf Port ${ws}`,
      tls === undefined ? "" : `, mit TLS auf Port ${tls}`,
      wss === undefined ? "" : ` und für WebSocket mit TLS auf Port ${wss}`,
      " erreichbar; die Ausgänge werden dort veröffentlicht.",
      tls === undefined ? " Ohne TLS werden Passwörter im Klartext übertragen." : "",
    ].join(""),
  broker_clients_refused: ({ clients }) =>
    `In den letzten zehn Minuten abgewiesen: ${listed(
      clients.map(({ name, level, filter }) =>
        level === undefined
          ? `„${name}“, Abonnement von ${filter}`
          : `ein Client mit der Adresse ${name}, MQTT-Protokollstufe ${level} (auf MQTT 3.1.1 oder 5 einstellen)`,
      ),
    )}.`,
  broker_limits_ok: ({ usage }) =>
    `Von MQTT-Clients belegt: ${usage.map(({ resource, used, limit }) => `${resource} ${used} von ${limit}`).join(", ")}.`,
  broker_limits_reached: ({ reached }) =>
    `Clients haben Grenzen des Brokers erreicht und wurden abgewiesen: ${listed(reached)}. Diese Clients prüfen oder limits.mqtt erhöhen.`,
  mqtt_maps_ok: () => "Alle Zuordnungen von MQTT-Topics sind freigegeben.",
  mqtt_maps_unapproved: ({ maps }) =>
    `Zuordnungen werden nicht verwendet, weil der Administrator ihre MQTT-Topics nicht freigegeben hat: ${listed(maps)}. Freigabe mit „hourgate mqtt approve FILTER --site ID“.`,
  broker_external: ({ url }) => `Die Ausgänge werden auf dem Broker ${url} veröffentlicht.`,
  broker_subscriptions_refused: ({ topics }) =>
    `Er lehnt das Abonnement von ${topics.join(", ")} ab; Nachrichten auf diesen Topics kommen nicht an.`,
  broker_lost: ({ url }) =>
    `Die Verbindung mit dem Broker ${url} ist unterbrochen; das Gateway versucht es jede Sekunde erneut.`,
  broker_copy: ({ machine }) =>
    `Ein zweites Gateway mit derselben Identität wartet auf „${machine}“: Sein Datenordner wurde vermutlich kopiert. Dieses Gateway steuert die Geräte. Beenden Sie eines der beiden.`,
  broker_standby: ({ url, machine }) =>
    `Ein zweites Gateway mit derselben Identität nutzt auf „${machine}“ den Broker ${url}: Der Datenordner wurde vermutlich kopiert. Dieses Gateway wartet: Es steuert keine Geräte und veröffentlicht nichts, bis das andere beendet ist. Beenden Sie eines der beiden.`,
  broker_presence_unknown: ({ url }) =>
    `Der Broker ${url} nennt ein Gateway mit derselben Identität, das noch laufen kann; dieses Gateway wartet 40 Sekunden lang auf ein Lebenszeichen davon.`,
  broker_problem: ({ url }) =>
    `Die Verbindung mit dem Broker ${url} kommt nicht zustande; das Gateway versucht es jede Sekunde erneut. ${LOG}`,
  broker_disk_full: () =>
    "Der Datenträger ist voll oder schreibgeschützt: Nachrichten und Sitzungen werden nur im Arbeitsspeicher gehalten und gespeichert, sobald er wieder beschrieben werden kann.",
  broker_failed: () =>
    `Der eingebaute Broker kann nicht starten. Alles außer MQTT läuft weiter; der Start wird wiederholt. ${LOG}`,
};

/** Why a source failed, as a sentence. */
export function germanFault(fault: SourceFault): string {
  switch (fault.kind) {
    case "status":
      return `${fault.host} antwortet mit dem Status ${fault.status}.`;
    case "timeout":
      return `${fault.host} antwortet nicht innerhalb von ${fault.seconds} s.`;
    case "unreachable":
      return `${fault.host} ist nicht erreichbar (${fault.reason}).`;
    case "other":
      return `Die Daten sind nicht verwendbar. ${LOG}`;
  }
}

/** The first five items. */
function listed(items: readonly string[]): string {
  return `${items.slice(0, 5).join(", ")}${items.length > 5 ? ` und ${items.length - 5} weitere` : ""}`;
}

function moment(at: Date): string {
  return new Intl.DateTimeFormat("de-AT", {
    timeZone: VIENNA,
    day: "numeric",
    month: "long",
    hour: "2-digit",
    minute: "2-digit",
  }).format(at);
}

export const germanComponentNames: typeof englishComponentNames = {
  http: "HTTP-Server",
  broker: "MQTT-Broker",
  broker_limits: "MQTT-Grenzen",
  mqtt_maps: "MQTT-Zuordnungen",
  forecast: "Preisprognose",
  mail: "E-Mail",
  node_red: "Node-RED",
  price_source: "Preise",
  quotas: "Zählung der Abfragen",
  fleet: "Flotte",
  store: "Datenordner",
  weather_source: "Wetter",
  webhooks: "Webhooks",
};

export const germanActuatorFaultTexts: Record<ActuatorFault, string> = {
  unauthorized: "Das Gerät lehnt die Anmeldung ab (401 oder 403): Benutzername und Passwort prüfen.",
  not_found: "Das Gerät kennt die Adresse nicht (404): Vorlage, Firmware und Einstellungen prüfen.",
  absent:
    "Das Gerät ist da, hat aber keinen Ladepunkt, kein Relais oder keinen Kanal mit dieser Nummer: die Nummer in den Einstellungen berichtigen.",
  refused: "Das Gerät lehnt den Befehl ab.",
  device_error: "Das Gerät meldet einen Fehler.",
  timeout: "Das Gerät antwortet nicht rechtzeitig.",
  unreachable: "Das Gerät ist nicht erreichbar: Adresse und Netzwerk prüfen.",
  wrong_device: "Ein anderes Gerät hat jetzt diese Adresse: das Gerät mit „Geräte suchen“ suchen.",
  not_local: "Die Adresse liegt nicht im lokalen Netz.",
  no_broker: "Der MQTT-Broker des Geräts ist nicht verbunden.",
  unexpected_answer: "Das Gerät antwortet, nimmt den Befehl aber nicht an.",
  not_confirmed: "Das Gerät zeigt den gesendeten Zustand nicht.",
  not_applied: "Die Steuerung hat den Befehl angenommen, aber nicht an das Gerät weitergegeben.",
  effect_full: "Die Batterie lädt nicht: Sie ist voll.",
  effect_empty: "Die Batterie gibt nichts ab: Sie ist leer.",
  effect_cold:
    "Die Batterie speichert nichts, auch keinen PV-Überschuss: Vermutlich ist sie zu kalt oder schützt sich.",
  effect_grid_charge:
    "Die Batterie lädt nicht aus dem Netz: Das Laden aus dem Netz in den Einstellungen des Wechselrichters erlauben; vielleicht ist sie auch zu kalt.",
  effect_other:
    "Die gemessene Leistung der Batterie zeigt den Befehl nicht: Vermutlich wirkt eine andere Steuerung, ein Zeitplan oder eine Grenze des Wechselrichters.",
  no_reading:
    "Das Gerät hat seinen Zustand nicht gemeldet: Ist es eingeschaltet, verwendet es denselben Broker, und ist sein Topic oder seine Adresse richtig geschrieben?",
  template: "Die Vorlage kann diesen Befehl nicht bilden.",
  budget: "Die Befehle für heute sind verbraucht; das Gerät wird nur noch freigegeben.",
  external: "Das Gerät wurde von anderer Stelle verändert; hourgate greift eine Weile nicht ein.",
  offline: "Das Gerät ist nicht verfügbar.",
  conflict: "Ein anderes Gerät in hourgate steuert dasselbe bereits.",
  standby:
    "Ein anderes Gateway mit derselben Identität steuert dieses Gerät; der Datenordner wurde vermutlich kopiert.",
  misconfigured: "Das Gerät ist nicht vollständig eingerichtet.",
};

const GERMAN_STATES: Readonly<Record<string, string>> = {
  free: "frei",
  charge: "laden",
  hold: "halten",
  cap: "Entladegrenze",
  block: "sperren",
  discharge: "entladen",
  off: "aus",
  on: "ein",
  unlimited: "unbegrenzt",
  limit: "begrenzt",
  normal: "normal",
  encourage: "empfohlen",
  force: "erzwungen",
  exit: "freigeben",
};

function germanTime(at: Date): string {
  return at.toLocaleTimeString("de-AT", { hour: "2-digit", minute: "2-digit", timeZone: VIENNA });
}

function germanWaitText(reason: "dwell" | "budget", time: string | null): string {
  const when = time === null ? "Wechselt morgen" : `Wechselt um ${time}`;
  return reason === "dwell"
    ? `${when}: Die kürzeste Zeit zwischen zwei Wechseln ist noch nicht um.`
    : `${when}: Die Befehle von heute müssen reichen.`;
}

function germanPhaseText(phase: ActuatorPhase, state: string | null, until: string): string {
  const name = state === null ? "–" : `„${GERMAN_STATES[state] ?? state}“`;
  const texts: Record<ActuatorPhase, string> = {
    disabled: "Ausgeschaltet.",
    dry_run: `Probelauf: Gesendet würde ${name}.`,
    waiting: "Wartet auf den ersten Messwert des Geräts.",
    idle: "Das Gerät regelt selbst, wie geplant.",
    sending: `Sendet ${name}.`,
    accepted: `Der Befehl ${name} wurde angenommen; das Gerät zeigt ihn noch nicht.`,
    confirmed: `Das Gerät bestätigt ${name}.`,
    declined: `Das Gerät nimmt ${name} an, folgt aber derzeit nicht.`,
    failed: "Der Befehl ist fehlgeschlagen; er wird wiederholt.",
    offline: "Das Gerät ist offline.",
    external: `Das Gerät wurde von anderer Stelle verändert; hourgate greift bis ${until} nicht ein.`,
    released: "Es gibt keinen verwendbaren Plan; das Gerät regelt selbst.",
    testing: `Test von ${name}.`,
    conflict: "Nicht gestartet.",
    standby: "Wartet.",
    misconfigured: "Nicht gestartet.",
  };
  return texts[phase];
}

function kilowatt(kw: number): string {
  return kw.toFixed(1).replace(".", ",");
}
