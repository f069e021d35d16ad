import { englishConnectSnippets } from "./connect-snippets.js";

/** The pages below /connect. */
export const englishConnect = {
  intro:
    "Each page has the steps, the addresses of this gateway and a light that shows whether the connection works.",
  all: "All connections",
  help: "More in the help",
  states: {
    connected: "Connected",
    silent: "Not connected now",
    failed: "Commands fail",
    none: "Not connected yet",
  },
  groups: { others: "Connect something else" },
  light: {
    title: "Connection",
    last: (age: string) => `last message ${age}`,
    client: (name: string) => `MQTT user ${name}`,
    topic: (topic: string) => `MQTT topic ${topic}`,
    key: (name: string) => `API key ${name}`,
    link: (name: string) => `Link ${name}`,
    online: "connected",
    offline: "not connected",
    sent: (topic: string) => `sent to ${topic}`,
    refused: (topic: string) =>
      `The broker has refused the message to ${topic}: this key may not send there.`,
    refusedFilter: (filter: string) =>
      `The broker has refused the subscription to ${filter}: this key may not read there, or a limit is reached. The gateway's log says why.`,
    refusedProtocol: "This client was refused. Set it to MQTT 3.1.1 or 5.",
    actuator: (id: string) => `hourgate commands: ${id}`,
    external:
      "The gateway uses another MQTT broker and does not see its clients. The light follows messages on mapped topics and requests over HTTP.",
  },
  test: {
    start: "Test",
    running: (until: string) =>
      `Waiting for a message until ${until}. Send one now, or restart the other system.`,
    never: "Not tested yet",
    passed: (age: string) => `Test passed ${age}`,
    quiet: (age: string) => `Test ${age}: connected, but nothing was sent within 60 seconds`,
    none: (age: string) => `Test ${age}: no message within 60 seconds`,
  },
  create: {
    key: "Create an API key",
    password: "Create an MQTT password",
    link: "Create a link",
    replaces: "This replaces your current API key; everything that uses it needs the new one.",
    shownOnce: "Created. It is shown only now and already filled in below:",
    readOk: (answer: string) => `The gateway has read the link itself: ${answer}`,
    readFailed: (reason: string) =>
      `The gateway could not read the link itself: ${reason}. Check the address of the gateway (http.base_url).`,
    limit: "There are already 50 of them. Revoke one that is no longer used.",
  },
  credentials: {
    title: "Keys and links of this connection",
    used: (age: string) => `last used ${age}`,
    unused: "never used",
  },
  ownerOnly: "Home Assistant needs a key of the administrator, because it reads the topics of all plants.",
  evccOwner:
    "evcc publishes many topics. With a key of the administrator all are accepted; with yours only those that the administrator has approved.",
  external: (url: string) =>
    `This gateway uses the broker ${url}. Connect the other system to that broker, with a user name and password of that broker.`,
  loopback:
    "These addresses work on this computer only, because the gateway listens on 127.0.0.1 or has no other address.",
  noBroker: "The MQTT broker of this gateway is switched off (mqtt.broker.enabled).",
  copy: "Copy",
  copied: "Copied",
  actuator: "Add the device",
  useTopics: "Use these topics",
  topicsUsed: "The topics are in the topic map of this plant.",
  topicsKnown: "These topics are already in the topic map of this plant.",
  topicMap: "Topic map of this plant",
  editor: "Open Node-RED",
  palette: "Download the palette (.tgz)",
  flows: {
    battery: "Battery by hourly prices",
    vehicle: "Charge the vehicle overnight",
    boiler: "Boiler in cheap hours",
  },
  snippets: englishConnectSnippets,
  kinds: {
    "home-assistant": {
      name: "Home Assistant",
      summary: "Shows the plan as a device and sends readings, over MQTT.",
      steps: [
        {
          title: "Usually: hourgate joins the broker of Home Assistant",
          text: "Home Assistant can have one MQTT broker only. If it has one already, for zigbee2mqtt for example, or none yet: install the app Mosquitto broker (Settings → Apps → App store) and start it. Under Settings → People → Users add the user hourgate with a password and “local access only”. Enter it in the configuration file of hourgate as shown here, and restart hourgate. As an app of Home Assistant, hourgate does all this by itself.",
        },
        {
          title: "Or: Home Assistant joins the broker of this gateway",
          text: "Only if Home Assistant uses no other broker, because everything that uses it would have to move here. Create a password, then in Home Assistant: Settings → Devices & services → Add integration → MQTT. Enter these values and leave the rest as it is; the password is an API key.",
        },
        {
          title: "Send readings",
          text: "The devices of this plant now appear in the MQTT integration. For a plan hourgate needs the state of charge; savings, bill and the forecast of the consumption need the other readings too. Settings → Automations & scenes → Create automation → ⋮ → Edit in YAML: insert one of the two and replace the entities by yours. A reading that is older than 15 minutes is not sent, so that hourgate notices when an inverter no longer answers.",
        },
        {
          title: "Let devices follow the plan",
          text: "Where hourgate does not switch a device itself (page Devices), an automation does. Ten seconds after hourgate is gone it switches off, which leaves the device to its own control.",
        },
      ],
    },
    evcc: {
      name: "evcc",
      summary:
        "Gets prices and the solar forecast, sends readings of battery, house and vehicles, and switches battery and wallbox for hourgate.",
      steps: [
        {
          title: "Choose the broker",
          text: "evcc and hourgate meet on one MQTT broker. If evcc has one already (usually Mosquitto), let hourgate join it: this part of the configuration file of hourgate. With the broker of this gateway evcc depends on hourgate: if it starts first, it tries again after 15 minutes only, and never asks for prices again. Then start it after hourgate, as in the second text, or with After=hourgate.service under systemd.",
        },
        {
          title: "One of them controls the battery",
          text: "hourgate decides when the battery charges and discharges. In evcc, in the settings of the battery, remove the price limit for grid charging (batteryGridChargeLimit) and switch off the discharge control (batteryDischargeControl).",
        },
        {
          title: "Prices and solar forecast for evcc",
          text: "Create a link and add this part to evcc.yaml. Remove other tariffs there. The prices are hourly or by quarter-hour, as hourgate plans (market.resolution_minutes). If evcc logs “creating tariff failed”, restart evcc when hourgate runs.",
        },
        {
          title: "Readings from evcc",
          text: "Let evcc publish to the broker: with the one of this gateway create an API key and add this part to evcc.yaml, then restart evcc. The button enters the topics in the topic map of this plant; the second text does the same in the configuration file of hourgate.",
        },
        {
          title: "Commands to battery and wallbox",
          text: "evcc switches what hourgate plans. A new device starts in dry run. evcc charges the battery with its own power, whatever the plan asks for.",
        },
        {
          title: "Optimizer (optional)",
          text: "With a sponsor token evcc can ask this gateway for its suggestions instead of a service on the internet. Create a link that may use “only the optimizer for evcc”, and set its address as an environment variable of evcc.",
        },
      ],
    },
    loxone: {
      name: "Loxone",
      summary:
        "The Miniserver reads all values with one request and sends readings. Nothing has to be typed.",
      steps: [
        {
          title: "Loxone reads",
          text: "Download the template and import it in Loxone Config: Miniserver → Device templates → Import template. Then add it: Virtual inputs → Predefined devices. Each download creates a new link.",
        },
        {
          title: "Loxone sends readings",
          text: "Import this template in the same way and add it: Virtual outputs → Predefined devices. Connect at least soc_pct and delete the commands that you do not use.",
        },
        {
          title: "Connect OK",
          text: "While OK is 0, let the plant run as it did without hourgate. A Miniserver of the second generation can use MQTT instead of HTTP: this list has the topics to enter.",
        },
      ],
    },
    "node-red": {
      name: "Node-RED",
      summary:
        "Nodes for plan, prices, devices and readings, in the Node-RED of this gateway or in your own.",
      steps: [
        {
          title: "Open Node-RED",
          text: "The gateway has a Node-RED with the hourgate nodes. Sign in with e-mail and password of the administrator. For your own Node-RED download the palette and install it there: Manage palette → Install → Upload.",
        },
        {
          title: "Set up the gateway node",
          text: "Create an API key. Add any node of the group hourgate, add a gateway in it and enter these data.",
        },
        {
          title: "Import an example",
          text: "Download a flow and import it in the editor: menu → Import. Address and plant are filled in; enter the API key and deploy.",
        },
      ],
    },
    iobroker: {
      name: "ioBroker",
      summary: "Reads the values as states and sends readings, with the MQTT adapter.",
      steps: [
        {
          title: "Create an MQTT password",
          text: "ioBroker signs in to the broker of this gateway. Its password is an API key.",
        },
        {
          title: "Set up the adapter MQTT Broker/Client",
          text: "Choose Client/subscriber and enter these data, with Default QoS 1. Switch off “Publish own states on connect”. To override devices by writing their state, enter the mask and switch on “Use different topic names for set and get”.",
        },
        {
          title: "Send the state of charge",
          text: "The values appear as states such as mqtt.0.hourgate.home.charge_now. This script sends the state of charge of your battery.",
        },
        {
          title: "Notice when the gateway is gone",
          text: "After a power failure the states keep their last values. This script has a state of its own that is true only while ioBroker is connected and the last heartbeat is younger than 90 seconds; switch by it.",
        },
      ],
    },
    openhab: {
      name: "openHAB",
      summary: "Reads the values as items and sends readings, with the MQTT binding.",
      steps: [
        {
          title: "Create an MQTT password",
          text: "openHAB signs in to the broker of this gateway. Its password is an API key.",
        },
        {
          title: "Create the things",
          text: "Install the MQTT binding and save this file in the folder conf/things.",
        },
        {
          title: "Create the items",
          text: "Save this file in the folder conf/items. A command to hourgate_soc sends the state of charge, for example from a rule. Items keep their last values when the gateway is gone: rules act only while hourgate_heartbeat is younger than 90 seconds (see the help).",
        },
      ],
    },
    shelly: {
      name: "Shelly",
      summary: "A relay follows the plan, and an input reports whether the vehicle is plugged in.",
      steps: [
        {
          title: "Create a link",
          text: "The Shelly reads from the gateway with an address that contains its credentials.",
        },
        {
          title: "Switch by plan",
          text: "Add this script in the web interface of the Shelly (second generation or later), start it and enable “run on startup”. slot_1 is device 1 of your settings. hourgate can also switch the Shelly itself, with read-back: add it as a device instead.",
        },
        {
          title: "Report a plugged-in vehicle",
          text: "For a Shelly with a contact at its input: create two webhooks (actions) with these addresses.",
        },
      ],
    },
    victron: {
      name: "Victron",
      summary: "The gateway reads battery and PV from the GX device and commands the battery.",
      steps: [
        {
          title: "Enable MQTT",
          text: "On the GX device: Settings → Services → MQTT on LAN.",
        },
        {
          title: "Read measurements",
          text: "Add this part to the configuration file of hourgate with the address of your GX device, and restart hourgate. Other MQTT clients then use that broker too.",
        },
        {
          title: "Command the battery",
          text: "Add the device Victron GX with the same address and the VRM portal ID. It starts as a dry run.",
        },
      ],
    },
    mqtt: {
      name: "Other devices over MQTT",
      summary: "Anything with an MQTT client: read the plan, send readings.",
      steps: [
        {
          title: "Create an MQTT password",
          text: "The device signs in to the broker of this gateway. Its password is an API key.",
        },
        { title: "Connect the client", text: "Enter these data in the device or program." },
        {
          title: "Read and send",
          text: "Values are plain numbers on their topics. With Mosquitto for example:",
        },
      ],
    },
    http: {
      name: "Other devices over HTTP",
      summary: "Anything that can open an address: controllers, virtual HTTP outputs, scripts, programs.",
      steps: [
        {
          title: "Create a link",
          text: "A link contains its credentials, for devices that cannot send headers. Programs can use an API key instead.",
        },
        { title: "Read", text: "Open one of these addresses, for example every 30 seconds." },
        {
          title: "Send readings",
          text: "Virtual HTTP outputs put the value behind the equals sign. Readings: soc_pct, import_kwh, export_kwh, pv_power_kw, grid_power_kw, load_power_kw, battery_power_kw, ev_power_kw, ev_connected.",
        },
      ],
    },
  },
  links: {
    title: "Controller links",
    intro:
      "For controllers that cannot send an API key, such as Loxone or evcc. Anyone who knows the link can use it.",
    label: "Name",
    scope: "May",
    scopes: {
      read: "read only",
      telemetry: "read and send readings",
      optimizer: "only the optimizer for evcc",
    },
    create: "Create a link",
    revoke: "Revoke",
    revoked: "revoked",
    shownOnce: "Your new link. It is shown only now:",
    made: "Created",
    start: "Begins with",
  },
  downloads: {
    kinds: {
      "http-input": "Virtual HTTP inputs: Loxone reads (XML)",
      "http-output": "Virtual outputs: Loxone sends readings (XML)",
      mqtt: "MQTT topics to type in (XML)",
    },
  },
};
