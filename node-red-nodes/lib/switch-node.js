"use strict";

const { gatewayNowMs } = require("./gateway-clock.js");
const { createLiveNode } = require("./live-node.js");
const { createOverrideSwitch } = require("./override-switch.js");
const { onInput } = require("./start-node.js");

/**
 * A live node whose payload is 0 or 1, with an override: charge now and slot. `topic` is the topic of the value, `topics`
 * the further ones; `nextOf(values, isOn)` returns the next planned change, `extraOf(values)` further message fields;
 * `act(msg, live)` handles what a message contains besides the override and resolves to true when there was anything.
 */
function createSwitchNode(RED, node, config, gateway, { topic, topics, nextOf, extraOf, act, dependsOnSoc }) {
  let sent;
  let sinceMs;

  const stateOf = (values) => {
    const planned = values[topic];
    const payload = override.apply(planned);
    const isAuto = override.mode() === "auto";
    return {
      payload,
      next_change: isAuto ? nextOf(values, planned === 1) : override.until(),
      override: override.mode(),
      override_until: override.until(),
    };
  };

  const messageOf = (values) => ({
    topic: live.topicOf(topic),
    ...stateOf(values),
    stale: live.isStale(),
    ...extraOf(values),
  });

  const emit = () => {
    const message = messageOf(live.values());
    if (message.payload === undefined) return;
    const state = `${message.payload} ${message.override}`;
    if (state === sent) return;
    sent = state;
    sinceMs = Date.now();
    node.send(message);
  };

  // Delayed: a stored override is restored while the flow is being created, before the next nodes exist.
  const override = createOverrideSwitch(RED, node, config, {
    onChange: () => live.settle(),
    zone: () => live.values().plan?.timezone,
  });

  const live = createLiveNode(node, gateway, {
    // The plan also contains the gateway's time.
    topics: { [topic]: "number", plan: "json", ...topics },
    dependsOnSoc,
    onValues: emit,
    show: (values) => {
      const { payload, next_change, override: mode, override_until: until } = stateOf(values);
      const shown = { value: payload, sinceMs, isOn: payload === 1, overridden: mode !== "auto" };
      if (until === null) return { ...shown, next: next_change, nowMs: gatewayNowMs(values.plan) };
      // The end of an override is measured by this machine's clock, and shown in the plant's time zone as planned times are.
      const { timezone: timeZone } = values.plan ?? {};
      return { ...shown, untilMs: Date.parse(until), timeZone, nowMs: Date.now() };
    },
  });

  onInput(node, async (msg, send) => {
    const overridden = await override.take(msg);
    const acted = await act(msg, live);
    if (overridden) {
      emit();
      live.refresh();
    }
    if (overridden || acted) return;
    const message = messageOf(live.values());
    if (message.payload === undefined) throw live.notKnown();
    send({ ...msg, ...message });
  });

  node.on("close", () => {
    override.close();
    live.close();
  });
}

module.exports = { createSwitchNode };
