import type { ActuatorFault, ActuatorPhase } from "../../core/domain/actuator.js";
import type { ComponentSentenceTexts } from "../../core/domain/component-sentence.js";
import { formatIso, VIENNA } from "../../core/time/zone.js";
import { englishDeviceStates } from "./device-states.js";

/**
 * Sentences about the state of components, by code. `message` is the technical sentence of an error: it is in English and
 * in the log, so other languages refer to the log instead.
 */
export const englishComponentSentences: ComponentSentenceTexts = {
  battery_soc_stale: () => "The state of charge is out of date; the plan uses an estimate.",
  battery_following: () => "The battery follows its commands.",
  battery_not_following: ({ cause }) => `The battery does not follow its commands (${cause}).`,
  device_takes_nothing: ({ device, since }) =>
    `${device} has been switched on since ${formatIso(since, VIENNA)} and takes no energy; its energy is planned again.`,
  tank_sensor_silent: ({ device, since }) =>
    `${device} has reported no new temperature since ${formatIso(since, VIENNA)}; it is estimated. Check the sensor.`,
  tank_not_hot: ({ device, celsius }) =>
    `${device} has not become ${celsius} °C hot against legionella: its thermostat probably opens before. Set it higher, or legionella_c lower; it is tried again on Sunday.`,
  balance_open: ({ pvKw, gridKw, homeKw, batteryKw, reversed }) =>
    `The readings do not add up: PV ${pvKw.toFixed(1)} + grid ${gridKw.toFixed(1)} ≠ home ${homeKw.toFixed(1)} + battery ${batteryKw.toFixed(1)} kW. ${
      reversed === null
        ? "Check which devices load_power_kw contains (telemetry.load_without), and the units."
        : `The sign of the ${reversed === "grid" ? "grid meter" : "battery's power"} may be reversed.`
    }`,
  load_contains: ({ slots, isContained, setting }) =>
    `By meter, PV and battery, load_power_kw ${isContained ? "contains" : "does not contain"} the device of slot ${slots}: set telemetry.load_without of the plant to ${setting}.`,
  reading_held: ({ reading, value, used }) =>
    `${reading} reports ${value}, which is not possible after ${used}; ${used} applies until a second reading confirms it.`,
  temperature_held: ({ reading, value }) =>
    `${reading} reports ${value} °C, which water in a tank cannot have, and is not used: check the unit (°C) and the sensor.`,
  counter_held: ({ reading, value, used }) =>
    `${reading} reports ${value}, which is not possible after ${used}; it is not used unless three readings in a row agree, as with a new meter. Does the device count in kWh?`,
  counter_unit: ({ reading, value, used }) =>
    `${reading} reports ${value} after ${used} and is not used: has its unit changed between Wh and kWh? Set the unit of the device to kWh.`,
  power_held: ({ reading, value, least, most }) =>
    `${reading} reports ${value} kW and is not used: ${least} to ${most} kW are possible by the settings. Check the unit of the device, and the settings of the plant.`,
  counter_replaced: ({ reading, value, before, at }) =>
    `${reading} went from ${before} to ${value} at ${formatIso(at, VIENNA)}; the step is not counted. Was the meter replaced?`,
  power_above_settings: ({ reading, value, most, at }) =>
    `${reading} has reported ${value} kW since ${formatIso(at, VIENNA)}, more than the ${most} kW that are possible by the settings; correct the power in the settings if the device is larger.`,
  readings_left_out: ({ count, reading, value, at }) =>
    `Impossible readings that were left out since the start: ${count}; the last one is ${reading} ${value} of ${formatIso(at, VIENNA)}.`,
  actuator_phase: ({ phase, state, until }) =>
    actuatorPhaseText(phase, state, until === null ? "" : clockTime(until)),
  actuator_wait: ({ for: reason, until }) => waitText(reason, until === null ? null : clockTime(until)),
  actuator_experimental: () =>
    "Facts about this device are not verified: its commands are only shown. Make a trial run before switching them on.",
  actuator_neighbour: ({ en }) => en,
  actuator_error: ({ fault }) => actuatorFaultTexts[fault],
  device_state: ({ state }) => englishDeviceStates[state],
  device_fault: ({ message }) => message,
  store_ok: ({ folder }) => `Data is stored in ${folder}.`,
  store_postgres: ({ address, shard }) => `Data is stored in PostgreSQL at ${address}, shard ${shard}.`,
  store_failed: ({ message }) => message,
  store_full: () =>
    "Nothing is stored until the disk can be written again; forecast, plan and commands continue with what is known.",
  store_postgres_failed: ({ message }) => message,
  sources_none: ({ kind }) => `No ${kind} source is configured.`,
  sources_down: ({ kind }) => `No ${kind} source works.`,
  sources_untried: ({ kind }) => `No ${kind} source has answered yet.`,
  sources_serve: ({ names }) => `Using ${names.join(" and ")}.`,
  source_failed: ({ source, message }) => `${source}: ${message}`,
  source_warning: ({ message }) => message,
  rest_serves: () => "All other data is used.",
  prices_short: () => "Prices end before they should.",
  prices_held: ({ until }) =>
    `Prices are available without a gap until ${formatIso(until, VIENNA)}; the forecast is used where one is missing.`,
  prices_missing: () => "No price is available for the current hour; the forecast is used.",
  weather_short: () => "The weather forecast ends too early.",
  weather_held: ({ until }) =>
    `Weather is available until ${formatIso(until, VIENNA)}; average values are used after that.`,
  weather_missing: () => "No weather is available for the current hour; average values are used.",
  weather_no_location: () => "No plant has a location (latitude, longitude); no weather is requested.",
  forecast_no_price: () => "No price is known; using average prices.",
  forecast_few_prices: () => "Too few prices are known; using average prices.",
  forecast_training_failed: ({ message }) => message,
  forecast_model: ({ model }) => `Using model ${model}.`,
  forecast_published: ({ until }) => `Published prices are available until ${formatIso(until, VIENNA)}.`,
  mail_ok: ({ server }) => `Mails are sent by ${server}.`,
  mail_rejected: ({ server, reason }) => `${server} did not accept the last mail (${reason}).`,
  webhooks_ok: ({ registered }) => `${registered} registered, none failing.`,
  webhooks_failing: ({ registered, failing }) => `${failing} failing (${registered} registered).`,
  quotas_redis: ({ address }) => `Calls are counted in Redis at ${address}.`,
  quotas_memory: ({ address, problem }) =>
    `Redis at ${address} is unavailable (${problem}): this gateway counts calls in its own memory until Redis is available.`,
  fleet_ok: ({ shard, shards, address }) =>
    `This worker serves shard ${shard} of ${shards}; its lease is in Redis at ${address}.`,
  fleet_unleased: ({ shard, address, problem }) =>
    `Redis at ${address} is unavailable (${problem}): this worker continues to serve shard ${shard}, but no other worker can take it over.`,
  node_red_starting: () => "Node-RED is starting.",
  node_red_missing: () =>
    "The Node-RED editor is not installed: install hourgate with its optional packages (npm install --include=optional), or set node_red.enabled to false.",
  node_red_ok: () => "Node-RED is running.",
  node_red_failed: ({ message }) => message,
  node_red_closed_folder: ({ user, folder }) =>
    `Node-RED could not be started: it runs as user ${user} (node_red.uid), which cannot enter ${folder}; give that folder mode 0711, or move what is in it.`,
  node_red_no_folder: ({ folder, fault }) =>
    `Node-RED could not be started: its folder ${folder} cannot be used (${fault}); make it writable for hourgate.`,
  node_red_special_file: ({ path }) =>
    `Node-RED could not be started: ${path} is not a file; remove it, or restore the file.`,
  node_red_damaged_secret: ({ path }) =>
    `Node-RED could not be started: ${path} is damaged; restore it, or delete it and enter the flows' credentials anew.`,
  node_red_restart: ({ seconds, safeMode }) =>
    `It restarts in ${seconds} s${safeMode ? ", without its flows" : ""}.`,
  node_red_safe_mode: ({ minutes }) =>
    `Node-RED runs without its flows because they crashed it repeatedly; correct them in the editor and deploy. The flows are started again in ${minutes} min.`,
  http_plain: ({ port }) =>
    `Port ${port} has no TLS: passwords and keys cross the network in clear text. Set http.tls ("hourgate tls create" creates a certificate).`,
  http_secure: ({ port }) =>
    `Port ${port} serves the portal with HTTPS; the API and controller links also answer without TLS.`,
  http_limits: ({ usage }) =>
    `In use by HTTP clients: ${usage.map(({ resource, used, limit, refused }) => `${resource} ${used} of ${limit}${refused === 0 ? "" : ` (${refused} refused since the start)`}`).join(", ")}.`,
  broker_starting: () => "The embedded broker is starting.",
  broker_joining: ({ url }) =>
    `The gateway is not connected to the broker at ${url} yet; it tries again every second.`,
  broker_embedded: ({ tcp, ws, tls, wss }) =>
    [
      `The embedded broker listens on port ${tcp}`,
      ws === undefined ? "" : ` and on port ${ws} for WebSocket`,
      tls === undefined ? "" : `, with TLS on port ${tls}`,
      wss === undefined ? "" : ` and on port ${wss} for WebSocket with TLS`,
      "; the outputs are published to it.",
      tls === undefined ? " Without TLS passwords cross the network in clear text." : "",
    ].join(""),
  broker_clients_refused: ({ clients }) =>
    `Refused in the last ten minutes: ${listed(
      clients.map(({ name, level, filter }) =>
        level === undefined
          ? `"${name}", subscription to ${filter}`
          : `a client at ${name}, MQTT protocol level ${level} (set it to MQTT 3.1.1 or 5)`,
      ),
    )}.`,
  broker_limits_ok: ({ usage }) =>
    `In use by MQTT clients: ${usage.map(({ resource, used, limit }) => `${resource} ${used} of ${limit}`).join(", ")}.`,
  broker_limits_reached: ({ reached }) =>
    `Clients reached limits of the broker and were refused: ${listed(reached)}. Check these clients, or raise limits.mqtt.`,
  mqtt_maps_ok: () => "All telemetry maps are approved.",
  mqtt_maps_unapproved: ({ maps }) =>
    `Telemetry maps are ignored because the administrator has not approved their topics: ${listed(maps)}. Approve them with "hourgate mqtt approve FILTER --site ID".`,
  broker_external: ({ url }) => `The outputs are published to the broker at ${url}.`,
  broker_subscriptions_refused: ({ topics }) =>
    `It rejects the subscription to ${topics.join(", ")}; messages on these topics are not received.`,
  broker_lost: ({ url }) =>
    `The connection to the broker at ${url} is lost; the gateway tries again every second.`,
  broker_copy: ({ machine }) =>
    `Another gateway with the identity of this one waits on "${machine}": its data folder was probably copied. This gateway commands the devices. Stop one of the two.`,
  broker_standby: ({ url, machine }) =>
    `Another gateway with the identity of this one uses the broker at ${url} on "${machine}": the data folder was probably copied. This gateway waits: it commands no devices and publishes nothing until the other one has ended. Stop one of the two.`,
  broker_presence_unknown: ({ url }) =>
    `The broker at ${url} names a gateway with the identity of this one that may still run; for 40 seconds this gateway waits for a sign of it.`,
  broker_problem: ({ url, problem }) =>
    `The gateway has a problem with the broker at ${url}: ${problem}; it tries again every second.`,
  broker_disk_full: () =>
    "The disk is full or read-only: messages and sessions are kept in memory only, and stored when it can be written again.",
  broker_failed: ({ message }) => `${message} Everything but MQTT keeps working; the start is tried again.`,
};

/** The first five items. */
function listed(items: readonly string[]): string {
  return `${items.slice(0, 5).join(", ")}${items.length > 5 ? ` and ${items.length - 5} more` : ""}`;
}

/** Names of the components, by their name in `/v1/status`. */
export const englishComponentNames = {
  http: "HTTP server",
  broker: "MQTT broker",
  broker_limits: "MQTT limits",
  mqtt_maps: "MQTT telemetry maps",
  forecast: "Price forecast",
  mail: "Mail",
  node_red: "Node-RED",
  price_source: "Prices",
  quotas: "Call counters",
  fleet: "Fleet",
  store: "Data folder",
  weather_source: "Weather",
  webhooks: "Webhooks",
};

/** Also used by the portal. */
export const actuatorFaultTexts: Record<ActuatorFault, string> = {
  unauthorized: "The device refuses the sign-in (401 or 403): check user name and password.",
  not_found: "The device does not know the address (404): check template, firmware and settings.",
  absent:
    "The device is there, but has no loadpoint, relay or channel of this number: correct the number in its settings.",
  refused: "The device refuses the command.",
  device_error: "The device reports an error.",
  timeout: "The device does not answer in time.",
  unreachable: "The device cannot be reached: check address and network.",
  wrong_device: "Another device has the address now: look for this one with “Find devices”.",
  not_local: "The address is not in the local network.",
  no_broker: "The MQTT broker of the device is not connected.",
  unexpected_answer: "The device answers, but does not accept the command.",
  not_confirmed: "The device does not show the state that was sent.",
  not_applied: "The controller has accepted the command, but has not applied it to the device.",
  effect_full: "The battery does not charge: it is full.",
  effect_empty: "The battery gives nothing: it is empty.",
  effect_cold: "The battery stores nothing, not even PV surplus: it is probably too cold or protects itself.",
  effect_grid_charge:
    "The battery does not charge from the grid: allow charging from the grid in the settings of the inverter; it may also be too cold.",
  effect_other:
    "The measured power of the battery does not show the command: another controller, a schedule or a limit of the inverter probably acts.",
  no_reading:
    "The device has not reported its state: check that it is on, that it uses the same broker, and the spelling of its topic or address.",
  template: "The template cannot make this command.",
  budget: "The limit of commands per day is reached; the device is only returned to its own control.",
  external: "Somebody else has changed the device; hourgate leaves it alone for a while.",
  offline: "The device is not available.",
  conflict: "Another device of hourgate already controls the same one.",
  standby:
    "Another gateway with the identity of this one commands this device; its data folder was probably copied.",
  misconfigured: "The device is not configured completely.",
};

function clockTime(at: Date): string {
  return at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: VIENNA });
}

function waitText(reason: "dwell" | "budget", time: string | null): string {
  const when = time === null ? "tomorrow" : `at ${time}`;
  return reason === "dwell"
    ? `Changes ${when}: the shortest time between two changes is not over.`
    : `Changes ${when}: the commands of today must last.`;
}

function actuatorPhaseText(phase: ActuatorPhase, state: string | null, until: string): string {
  const texts: Record<ActuatorPhase, string> = {
    disabled: "Switched off.",
    dry_run: `Dry run: ${state ?? "nothing"} would be sent.`,
    waiting: "Waiting for the first reading of the device.",
    idle: "The device is left to its own control, as planned.",
    sending: `Sending ${state ?? "a command"}.`,
    accepted: `The command was accepted (${state ?? "the state"}); the device does not show it yet.`,
    confirmed: `The device confirms ${state ?? "the state"}.`,
    declined: `The device accepts ${state ?? "the command"}, but does not follow it now.`,
    failed: "The command failed; it is repeated.",
    offline: "The device is offline.",
    external: `Someone else changed the device; it is left alone until ${until}.`,
    released: "There is no usable plan; the device is left to its own control.",
    testing: `Testing ${state ?? "a state"}.`,
    conflict: "Not started.",
    standby: "Waiting.",
    misconfigured: "Not started.",
  };
  return texts[phase];
}
