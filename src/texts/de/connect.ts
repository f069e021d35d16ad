import type { englishConnect } from "../en/connect.js";
import { germanConnectSnippets } from "./connect-snippets.js";

export const germanConnect: typeof englishConnect = {
  intro: "Jede Seite zeigt die Schritte, die Adressen dieses Gateways und ob die Verbindung funktioniert.",
  all: "Alle Verbindungen",
  help: "Mehr in der Hilfe",
  states: {
    connected: "Verbunden",
    silent: "Zurzeit nicht verbunden",
    failed: "Befehle schlagen fehl",
    none: "Noch nicht verbunden",
  },
  groups: { others: "Weiteres verbinden" },
  light: {
    title: "Verbindung",
    last: (age) => `letzte Nachricht ${age}`,
    client: (name) => `MQTT-Benutzer ${name}`,
    topic: (topic) => `MQTT-Topic ${topic}`,
    key: (name) => `API-Schlüssel ${name}`,
    link: (name) => `Link „${name}“`,
    online: "verbunden",
    offline: "nicht verbunden",
    sent: (topic) => `zuletzt an ${topic}`,
    refused: (topic) =>
      `Der Broker hat die Nachricht an ${topic} abgelehnt: Mit diesem Schlüssel ist das Topic nicht erlaubt.`,
    refusedFilter: (filter) =>
      `Der Broker hat das Abonnement von ${filter} abgelehnt: Mit diesem Schlüssel ist es nicht erlaubt, oder eine Grenze ist erreicht. Der Grund steht im Log des Gateways.`,
    refusedProtocol: "Dieser Client wurde abgewiesen. Stellen Sie ihn auf MQTT 3.1.1 oder 5 ein.",
    actuator: (id) => `hourgate steuert: ${id}`,
    external:
      "Das Gateway benutzt einen anderen MQTT-Broker und sieht dessen Clients nicht. Die Anzeige richtet sich nach Nachrichten auf zugeordneten Topics und nach HTTP-Anfragen.",
  },
  test: {
    start: "Verbindung testen",
    running: (until) =>
      `Das Gateway wartet bis ${until} auf eine Nachricht. Senden Sie jetzt eine, oder starten Sie das andere System neu.`,
    never: "Noch nicht getestet",
    passed: (age) => `Test bestanden ${age}`,
    quiet: (age) => `Test ${age}: verbunden, aber keine Nachricht innerhalb von 60 Sekunden`,
    none: (age) => `Test ${age}: keine Nachricht innerhalb von 60 Sekunden`,
  },
  create: {
    key: "API-Schlüssel erzeugen",
    password: "MQTT-Passwort erzeugen",
    link: "Link anlegen",
    replaces: "Das ersetzt Ihren bisherigen API-Schlüssel; alles, was ihn benutzt, braucht danach den neuen.",
    shownOnce: "Erzeugt. Wird nur jetzt angezeigt und ist unten schon eingesetzt:",
    readOk: (answer) => `Das Gateway hat den Link selbst gelesen: ${answer}`,
    readFailed: (reason) =>
      `Das Gateway konnte den Link nicht selbst lesen: ${reason}. Prüfen Sie die Adresse des Gateways (http.base_url).`,
    limit: "Es gibt schon 50 davon. Widerrufen Sie einen, der nicht mehr benutzt wird.",
  },
  credentials: {
    title: "Schlüssel und Links dieser Verbindung",
    used: (age) => `zuletzt benutzt ${age}`,
    unused: "nie benutzt",
  },
  ownerOnly:
    "Home Assistant braucht einen Schlüssel des Administrators, weil es die Topics aller Anlagen liest.",
  evccOwner:
    "evcc sendet viele Topics. Mit einem Schlüssel des Administrators werden alle angenommen, mit Ihrem nur die, die der Administrator freigegeben hat.",
  external: (url) =>
    `Dieses Gateway benutzt den Broker ${url}. Verbinden Sie das andere System mit diesem Broker, mit einem Benutzer und Passwort dieses Brokers.`,
  loopback:
    "Diese Adressen gelten nur auf diesem Rechner, weil das Gateway nur auf 127.0.0.1 erreichbar ist.",
  noBroker: "Der MQTT-Broker dieses Gateways ist ausgeschaltet (mqtt.broker.enabled).",
  copy: "Kopieren",
  copied: "Kopiert",
  actuator: "Gerät hinzufügen",
  useTopics: "Diese Topics übernehmen",
  topicsUsed: "Die Topics stehen in der Topic-Zuordnung dieser Anlage.",
  topicsKnown: "Diese Topics stehen bereits in der Topic-Zuordnung dieser Anlage.",
  topicMap: "Topic-Zuordnung dieser Anlage",
  editor: "Node-RED öffnen",
  palette: "Palette herunterladen (.tgz)",
  flows: {
    battery: "Batterie nach Stundenpreisen",
    vehicle: "Auto nachts laden",
    boiler: "Boiler in billigen Stunden",
  },
  snippets: germanConnectSnippets,
  kinds: {
    "home-assistant": {
      name: "Home Assistant",
      summary: "Zeigt den Plan als Gerät und sendet Messwerte, über MQTT.",
      steps: [
        {
          title: "In der Regel: hourgate nutzt den Broker von Home Assistant",
          text: "Home Assistant kann nur einen MQTT-Broker haben. Wenn es schon einen hat, etwa für zigbee2mqtt, oder noch keinen: Installieren und starten Sie die App Mosquitto broker (Einstellungen → Apps → App Store). Legen Sie unter Einstellungen → Personen → Benutzer den Benutzer hourgate mit einem Passwort und „Nur lokaler Zugriff“ an. Tragen Sie ihn wie hier gezeigt in die Konfigurationsdatei von hourgate ein, und starten Sie hourgate neu. Als App von Home Assistant macht hourgate das alles selbst.",
        },
        {
          title: "Oder: Home Assistant nutzt den Broker dieses Gateways",
          text: "Nur wenn Home Assistant keinen anderen Broker nutzt, denn alles, was ihn nutzt, müsste hierher umziehen. Erzeugen Sie ein Passwort, dann in Home Assistant: Einstellungen → Geräte & Dienste → Integration hinzufügen → MQTT. Geben Sie diese Werte ein, und lassen Sie den Rest, wie er ist; das Passwort ist ein API-Schlüssel.",
        },
        {
          title: "Messwerte senden",
          text: "Die Geräte dieser Anlage erscheinen nun in der Integration MQTT. Für einen Plan braucht hourgate den Ladestand; Ersparnis, Rechnung und die Prognose des Verbrauchs brauchen auch die anderen Messwerte. Einstellungen → Automationen & Szenen → Automation erstellen → ⋮ → Als YAML bearbeiten: Fügen Sie eine der beiden ein, und ersetzen Sie die Entitäten durch Ihre. Ein Messwert, der älter als 15 Minuten ist, wird nicht gesendet, damit hourgate merkt, wenn ein Wechselrichter nicht mehr antwortet.",
        },
        {
          title: "Geräte folgen dem Plan",
          text: "Wo hourgate ein Gerät nicht selbst schaltet (Seite Geräte), tut es eine Automation. Zehn Sekunden nachdem hourgate ausgefallen ist, schaltet sie ab und überlässt das Gerät seiner eigenen Steuerung.",
        },
      ],
    },
    evcc: {
      name: "evcc",
      summary:
        "Bekommt Preise und PV-Prognose, sendet Messwerte von Batterie, Haus und Autos und schaltet Batterie und Wallbox für hourgate.",
      steps: [
        {
          title: "Broker wählen",
          text: "evcc und hourgate treffen sich auf einem MQTT-Broker. Hat evcc schon einen (meist Mosquitto), tritt hourgate ihm bei: mit diesem Teil der Konfigurationsdatei von hourgate. Mit dem Broker dieses Gateways hängt evcc von hourgate ab: Startet es zuerst, versucht es die Verbindung erst nach 15 Minuten wieder und fragt nie mehr nach Preisen. Dann evcc nach hourgate starten, wie im zweiten Text oder unter systemd mit After=hourgate.service.",
        },
        {
          title: "Nur einer steuert die Batterie",
          text: "hourgate entscheidet, wann die Batterie lädt und entlädt. In evcc in den Einstellungen der Batterie die Preisgrenze für das Laden aus dem Netz (batteryGridChargeLimit) entfernen und die Entladesteuerung (batteryDischargeControl) ausschalten.",
        },
        {
          title: "Preise und PV-Prognose für evcc",
          text: "Legen Sie einen Link an und fügen Sie diesen Teil in evcc.yaml ein. Entfernen Sie dort andere Tarife. Die Preise gelten je Stunde oder Viertelstunde, so wie hourgate plant (market.resolution_minutes). Meldet evcc „creating tariff failed“, evcc neu starten, sobald hourgate läuft.",
        },
        {
          title: "Messwerte von evcc",
          text: "Lassen Sie evcc an den Broker senden: beim Broker dieses Gateways einen API-Schlüssel erzeugen, diesen Teil in evcc.yaml einfügen und evcc neu starten. Die Schaltfläche trägt die Topics in die Topic-Zuordnung dieser Anlage ein; der zweite Text tut dasselbe in der Konfigurationsdatei von hourgate.",
        },
        {
          title: "Befehle an Batterie und Wallbox",
          text: "evcc schaltet, was hourgate plant. Ein neues Gerät beginnt im Probelauf. evcc lädt die Batterie mit seiner eigenen Leistung, unabhängig von der geplanten.",
        },
        {
          title: "Optimierer (optional)",
          text: "Mit einem Sponsor-Token kann evcc dieses Gateway um seine Vorschläge bitten statt eines Dienstes im Internet. Legen Sie einen Link an, der „nur den Optimierer für evcc“ benutzen darf, und setzen Sie seine Adresse als Umgebungsvariable von evcc.",
        },
      ],
    },
    loxone: {
      name: "Loxone",
      summary:
        "Der Miniserver liest alle Werte mit einer Anfrage und sendet Messwerte. Nichts ist einzutippen.",
      steps: [
        {
          title: "Loxone liest",
          text: "Laden Sie die Vorlage herunter und importieren Sie sie in Loxone Config: Miniserver → Gerätevorlagen → Vorlage importieren. Fügen Sie sie dann hinzu: Virtuelle Eingänge → Vordefinierte Geräte. Jeder Download legt einen neuen Link an.",
        },
        {
          title: "Loxone sendet Messwerte",
          text: "Importieren Sie diese Vorlage ebenso und fügen Sie sie hinzu: Virtuelle Ausgänge → Vordefinierte Geräte. Verbinden Sie mindestens soc_pct und löschen Sie Befehle, die Sie nicht brauchen.",
        },
        {
          title: "OK verbinden",
          text: "Solange OK 0 ist, soll die Anlage laufen wie ohne hourgate. Ein Miniserver der zweiten Generation kann statt HTTP auch MQTT benutzen: Diese Liste enthält die Topics zum Eintragen.",
        },
      ],
    },
    "node-red": {
      name: "Node-RED",
      summary: "Bausteine für Plan, Preise, Geräte und Messwerte, im Node-RED dieses Gateways oder in Ihrem.",
      steps: [
        {
          title: "Node-RED öffnen",
          text: "Das Gateway hat ein Node-RED mit den Bausteinen von hourgate. Melden Sie sich mit E-Mail und Passwort des Administrators an. Für Ihr eigenes Node-RED laden Sie die Palette herunter und installieren sie dort: Palette verwalten → Installieren → Hochladen.",
        },
        {
          title: "Gateway-Knoten einrichten",
          text: "Erzeugen Sie einen API-Schlüssel. Fügen Sie einen Knoten der Gruppe hourgate ein, legen Sie darin ein Gateway an und tragen Sie diese Daten ein.",
        },
        {
          title: "Beispiel importieren",
          text: "Laden Sie einen Flow herunter und importieren Sie ihn im Editor: Menü → Import. Adresse und Anlage sind eingesetzt; tragen Sie den API-Schlüssel ein und übernehmen Sie den Flow (Deploy).",
        },
      ],
    },
    iobroker: {
      name: "ioBroker",
      summary: "Liest die Werte als Datenpunkte und sendet Messwerte, mit dem MQTT-Adapter.",
      steps: [
        {
          title: "MQTT-Passwort erzeugen",
          text: "ioBroker meldet sich am Broker dieses Gateways an. Das Passwort ist ein API-Schlüssel.",
        },
        {
          title: "Adapter „MQTT Broker/Client“ einrichten",
          text: "Wählen Sie „Client/Subscriber“ und tragen Sie diese Daten ein, mit Standard-QoS 1. Schalten Sie das Senden eigener Zustände beim Verbinden aus. Um Geräte durch Schreiben ihres Zustands zu übersteuern, tragen Sie die Maske ein und schalten „Unterschiedliche Topic-Namen zum Setzen und Lesen“ ein.",
        },
        {
          title: "Ladestand senden",
          text: "Die Werte erscheinen als Datenpunkte wie mqtt.0.hourgate.home.charge_now. Dieses Skript sendet den Ladestand Ihrer Batterie.",
        },
        {
          title: "Merken, wenn das Gateway weg ist",
          text: "Nach einem Stromausfall behalten die Datenpunkte ihre letzten Werte. Dieses Skript führt einen eigenen Datenpunkt, der nur wahr ist, solange ioBroker verbunden und der letzte Heartbeat jünger als 90 Sekunden ist; schalten Sie danach.",
        },
      ],
    },
    openhab: {
      name: "openHAB",
      summary: "Liest die Werte als Items und sendet Messwerte, mit dem MQTT-Binding.",
      steps: [
        {
          title: "MQTT-Passwort erzeugen",
          text: "openHAB meldet sich am Broker dieses Gateways an. Das Passwort ist ein API-Schlüssel.",
        },
        {
          title: "Things anlegen",
          text: "Installieren Sie das MQTT-Binding und speichern Sie diese Datei im Ordner conf/things.",
        },
        {
          title: "Items anlegen",
          text: "Speichern Sie diese Datei im Ordner conf/items. Ein Befehl an hourgate_soc sendet den Ladestand, etwa aus einer Regel. Items behalten ihre letzten Werte, wenn das Gateway weg ist: Regeln handeln nur, solange hourgate_heartbeat jünger als 90 Sekunden ist (siehe Hilfe).",
        },
      ],
    },
    shelly: {
      name: "Shelly",
      summary: "Ein Relais schaltet nach Plan, ein Eingang meldet, ob das Auto angesteckt ist.",
      steps: [
        {
          title: "Link anlegen",
          text: "Der Shelly liest vom Gateway über eine Adresse, die die Zugangsdaten enthält.",
        },
        {
          title: "Nach Plan schalten",
          text: "Fügen Sie dieses Skript in der Weboberfläche des Shelly ein (ab der zweiten Generation), starten Sie es und aktivieren Sie „Run on startup“. slot_1 ist Gerät 1 Ihrer Einstellungen. hourgate kann den Shelly auch selbst schalten und das Ergebnis prüfen: Fügen Sie ihn dafür als Gerät hinzu.",
        },
        {
          title: "Angestecktes Auto melden",
          text: "Für einen Shelly mit einem Kontakt am Eingang: Legen Sie zwei Webhooks (Aktionen) mit diesen Adressen an.",
        },
      ],
    },
    victron: {
      name: "Victron",
      summary: "Das Gateway liest Batterie und PV vom GX-Gerät und steuert die Batterie.",
      steps: [
        {
          title: "MQTT einschalten",
          text: "Am GX-Gerät: Einstellungen → Dienste → MQTT im LAN.",
        },
        {
          title: "Messwerte lesen",
          text: "Fügen Sie diesen Teil mit der Adresse Ihres GX-Geräts in die Konfigurationsdatei von hourgate ein und starten Sie hourgate neu. Andere MQTT-Clients benutzen dann ebenfalls diesen Broker.",
        },
        {
          title: "Batterie steuern",
          text: "Fügen Sie das Gerät „Victron GX“ mit derselben Adresse und der VRM-Portal-ID hinzu. Es beginnt im Probelauf.",
        },
      ],
    },
    mqtt: {
      name: "Andere Geräte über MQTT",
      summary: "Alles mit einem MQTT-Client: Plan lesen, Messwerte senden.",
      steps: [
        {
          title: "MQTT-Passwort erzeugen",
          text: "Das Gerät meldet sich am Broker dieses Gateways an. Das Passwort ist ein API-Schlüssel.",
        },
        { title: "Client verbinden", text: "Tragen Sie diese Daten im Gerät oder Programm ein." },
        {
          title: "Lesen und senden",
          text: "Die Werte stehen als einfache Zahlen auf ihren Topics. Mit Mosquitto zum Beispiel:",
        },
      ],
    },
    http: {
      name: "Andere Geräte über HTTP",
      summary:
        "Alles, was eine Adresse aufrufen kann: Steuerungen, virtuelle HTTP-Ausgänge, Skripte, Programme.",
      steps: [
        {
          title: "Link anlegen",
          text: "Ein Link enthält die Zugangsdaten, für Geräte, die keine Header senden können. Programme können stattdessen einen API-Schlüssel benutzen.",
        },
        { title: "Lesen", text: "Rufen Sie eine dieser Adressen auf, zum Beispiel alle 30 Sekunden." },
        {
          title: "Messwerte senden",
          text: "Virtuelle HTTP-Ausgänge setzen den Wert hinter das Gleichheitszeichen. Messwerte: soc_pct, import_kwh, export_kwh, pv_power_kw, grid_power_kw, load_power_kw, battery_power_kw, ev_power_kw, ev_connected.",
        },
      ],
    },
  },
  links: {
    title: "Links für Steuerungen",
    intro:
      "Für Steuerungen, die keinen API-Schlüssel senden können, etwa Loxone oder evcc. Wer den Link kennt, kann ihn benutzen.",
    label: "Name",
    scope: "Darf",
    scopes: {
      read: "nur lesen",
      telemetry: "lesen und Messwerte senden",
      optimizer: "nur der Optimierer für evcc",
    },
    create: "Link anlegen",
    revoke: "Widerrufen",
    revoked: "widerrufen",
    shownOnce: "Ihr neuer Link. Er wird nur jetzt angezeigt:",
    made: "Angelegt",
    start: "Beginnt mit",
  },
  downloads: {
    kinds: {
      "http-input": "Virtuelle HTTP-Eingänge: Loxone liest (XML)",
      "http-output": "Virtuelle Ausgänge: Loxone sendet Messwerte (XML)",
      mqtt: "MQTT-Topics zum Eintragen (XML)",
    },
  },
};
