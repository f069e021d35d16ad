"use strict";

const { createContextValue } = require("./context-value.js");
const { applied, holds, readOverride } = require("./override.js");

/** Timers are limited to 24.8 days; a later end is checked again each day. */
const LONGEST_WAIT_MS = 86_400_000;

/**
 * The override of one node: stored in its context and ended by a timer. `settings.override` is the mode without an
 * override. `onChange` is called when a stored override has been restored or an override has ended; `zone()` is the plant's time zone.
 */
function createOverrideSwitch(RED, node, settings, { onChange, zone }) {
  const stored = createContextValue(RED, node, "override");
  const base = { mode: settings.override, untilMs: null };
  let current = base;
  let timer;
  let closed = false;

  const reportFailure = (error) =>
    node.error(`The override could not be stored and will be lost on a restart: ${error.message}.`, {});

  const watchEnd = () => {
    clearTimeout(timer);
    if (current.untilMs === null || closed) return;
    timer = setTimeout(
      () => {
        if (holds(current, Date.now())) return watchEnd();
        current = base;
        stored.write(undefined).catch(reportFailure);
        onChange();
      },
      Math.max(0, Math.min(current.untilMs - Date.now(), LONGEST_WAIT_MS)),
    );
  };

  stored
    .read()
    .then((value) => {
      // An override from a message that arrived in the meantime takes precedence.
      if (closed || current !== base || !holds(value, Date.now())) return;
      current = value;
      watchEnd();
      onChange();
    })
    .catch(reportFailure);

  return {
    mode: () => current.mode,
    apply: (planned) => applied(current.mode, planned),
    /** The end as ISO 8601 time; null without an end. */
    until: () => (current.untilMs === null ? null : new Date(current.untilMs).toISOString()),
    /** Applies the override of a message; resolves to false when it has none. Rejects with a GatewayError. */
    async take(message) {
      const { overrideMinutes: defaultMinutes } = settings;
      const asked = readOverride(message, { defaultMinutes, nowMs: Date.now(), timeZone: zone() });
      if (asked === undefined) return false;
      current = holds(asked, Date.now()) ? asked : base;
      watchEnd();
      // The override is effective even when it cannot be stored.
      await stored.write(current === base ? undefined : current).catch(reportFailure);
      return true;
    },
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

module.exports = { createOverrideSwitch };
