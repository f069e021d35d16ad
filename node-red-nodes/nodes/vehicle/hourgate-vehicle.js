"use strict";

const { fieldsOf } = require("../../lib/fields.js");
const { gatewayNowMs } = require("../../lib/gateway-clock.js");
const { GatewayError } = require("../../lib/gateway-error.js");
const { requestTime } = require("../../lib/gateway-time.js");
const { createLiveNode } = require("../../lib/live-node.js");
const { nextChange } = require("../../lib/next-change.js");
const { pluggedOf, slotOf } = require("../../lib/slot-fields.js");
const { onInput, startNode } = require("../../lib/start-node.js");

const DEFAULTS = { gateway: "", slot: 1 };

const FIELDS = ["soc_pct", "plugged", "target_soc_pct", "departure", "energy_kwh"];

/** The vehicle's fields in an object payload and in the message itself. Throws a GatewayError for unknown fields. */
function givenIn(msg) {
  const payload = fieldsOf(msg.payload);
  const unknown = Object.keys(payload).filter((name) => !FIELDS.includes(name));
  if (unknown.length > 0)
    throw new GatewayError(
      `msg.payload has the unknown field ${unknown[0]}; the fields are ${FIELDS.join(", ")}.`,
      "invalid_payload",
    );
  const all = FIELDS.map((name) => [name, msg[name] ?? payload[name]]);
  return Object.fromEntries(all.filter(([, value]) => value !== undefined && value !== null));
}

function percentOf(value, name) {
  const percent = Number(String(value).trim().replace(",", ".") || Number.NaN);
  if (!(percent >= 0 && percent <= 100))
    throw new GatewayError(`msg.${name} must be a number from 0 to 100.`, "invalid_payload");
  return percent;
}

/** Energy at the wallbox that raises the vehicle to the target, kWh. Throws a GatewayError while it is not known. */
function energyOf(vehicle, { soc_pct: given, target_soc_pct: target }) {
  if (vehicle === undefined)
    throw new GatewayError(
      "The slot has no vehicle in the plant's settings: add one, or send energy_kwh instead of target_soc_pct.",
      "no_vehicle",
    );
  const soc = given ?? vehicle.soc_pct;
  if (soc === undefined || soc === null)
    throw new GatewayError(
      "The state of charge of the vehicle is not known: send soc_pct with the target, or energy_kwh.",
      "not_known",
    );
  const missingPct = Math.max(
    0,
    percentOf(target ?? vehicle.target_soc_pct, "target_soc_pct") - percentOf(soc, "soc_pct"),
  );
  return Number((((missingPct / 100) * vehicle.capacity_kwh) / (vehicle.efficiency_pct / 100)).toFixed(4));
}

/** The request for one departure. `schedules` is the answer of `GET /v1/plant/device-schedules`. */
function requestOf(given, { issued_at: issuedAt, recipes }, slot) {
  const schedule = recipes.find(({ slot_id: id }) => id === String(slot));
  if (schedule === undefined)
    throw new GatewayError(
      `Slot ${slot} is not assigned to a device: set it up in the plant's settings first.`,
      "slot_not_assigned",
    );
  const end = given.departure === undefined ? schedule.window_end : requestTime(given.departure, issuedAt);
  if (end === null)
    throw new GatewayError(
      "The departure is not known: send departure, such as 07:00, or add one to the vehicle's settings.",
      "not_known",
    );
  const { power_kw: power } = schedule;
  return {
    end,
    energy_kwh: given.energy_kwh ?? energyOf(schedule.vehicle, given),
    ...(power !== null && { max_power_kw: power }),
    allocation: "cost",
  };
}

module.exports = (RED) => {
  /** A vehicle at the wallbox of a slot: accepts its state and a demand for one departure, and sends what the wallbox is to do. */
  function HourgateVehicle(settings) {
    startNode(RED, this, settings, DEFAULTS, (config, gateway) => {
      const slot = slotOf(config.slot);
      const chargeTopic = `slots/${slot}/charge_now`;
      const powerTopic = `slots/${slot}/power_kw`;
      const planTopic = `slots/${slot}/plan`;
      const outputs = [chargeTopic, powerTopic, planTopic];
      const sent = [];
      let sinceMs;

      const nextOf = (values) =>
        nextChange(values[planTopic]?.windows, values[chargeTopic] === 1, gatewayNowMs(values.plan));

      const messagesOf = (values) =>
        outputs.map((name) => {
          if (values[name] === undefined) return null;
          const message = { topic: live.topicOf(name), payload: values[name], slot, stale: live.isStale() };
          return name === chargeTopic ? { ...message, next_change: nextOf(values) } : message;
        });

      const emit = () => {
        const changed = messagesOf(live.values()).map((message, output) => {
          const text = JSON.stringify(message?.payload);
          if (message === null || text === sent[output]) return null;
          sent[output] = text;
          if (output === 0) sinceMs = Date.now();
          return message;
        });
        if (changed.some((message) => message !== null)) this.send(changed);
      };

      const live = createLiveNode(this, gateway, {
        // The plan also contains the gateway's time.
        topics: { [chargeTopic]: "number", [powerTopic]: "number", [planTopic]: "json", plan: "json" },
        dependsOnSoc: false,
        onValues: emit,
        show: (values) => ({
          value: values[chargeTopic] === 1 ? (values[powerTopic] ?? 1) : values[chargeTopic],
          isOn: values[chargeTopic] === 1,
          overridden: (values[planTopic]?.override ?? "auto") !== "auto",
          next: nextOf(values),
          nowMs: gatewayNowMs(values.plan),
          sinceMs,
        }),
      });

      onInput(this, async (msg, send) => {
        const given = givenIn(msg);
        if (given.plugged !== undefined)
          await live.command(`slots/${slot}/plugged/set`, pluggedOf(given.plugged));
        if (given.soc_pct !== undefined)
          await live.command(`slots/${slot}/telemetry`, { soc_pct: percentOf(given.soc_pct, "soc_pct") });
        if ([given.target_soc_pct, given.departure, given.energy_kwh].some((value) => value !== undefined)) {
          const schedules = await gateway.api().call("GET", "/v1/plant/device-schedules");
          await live.command(`slots/${slot}/set`, requestOf(given, schedules, slot));
        }
        if (Object.keys(given).length > 0) return;
        const messages = messagesOf(live.values());
        if (messages[0] === null) throw live.notKnown();
        send(messages.map((message) => message && { ...msg, ...message }));
      });

      this.on("close", () => live.close());
    });
  }

  RED.nodes.registerType("hourgate-vehicle", HourgateVehicle);
};
