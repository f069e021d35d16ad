"use strict";

const { createKept } = require("./kept.js");
const { applied, holds, readOverride } = require("./override.js");

/** Timers cannot be longer than 24.8 days; a later end is looked at again each day. */
const LONGEST_WAIT_MS = 86_400_000;

/**
 * The override of one node: kept in its context over restarts, ended by its own timer. `settings.override` is the mode
 * that holds while no message said otherwise. `onChange` is called when an override is read back or ends.
 */
function createOverrideSwitch(RED, node, settings, onChange) {
  const kept = createKept(RED, node, "override");
  const base = { mode: settings.override, untilMs: null };
  let current = base;
  let timer;
  let closed = false;

  const failed = (error) => node.error(`The override cannot be kept over a restart: ${error.message}.`, {});

  const watchEnd = () => {
    clearTimeout(timer);
    if (current.untilMs === null || closed) return;
    timer = setTimeout(
      () => {
        if (holds(current, Date.now())) return watchEnd();
        current = base;
        kept.write(undefined).catch(failed);
        onChange();
      },
      Math.max(0, Math.min(current.untilMs - Date.now(), LONGEST_WAIT_MS)),
    );
  };

  kept
    .read()
    .then((value) => {
      // A message that came meanwhile knows better.
      if (closed || current !== base || !holds(value, Date.now())) return;
      current = value;
      watchEnd();
      onChange();
    })
    .catch(failed);

  return {
    mode: () => current.mode,
    apply: (planned) => applied(current.mode, planned),
    /** The end as ISO 8601 time; null where there is none. */
    until: () => (current.untilMs === null ? null : new Date(current.untilMs).toISOString()),
    /** Takes what a message says; true when it said anything. Throws a GatewayError. */
    async take(message) {
      const asked = readOverride(message, settings.overrideMinutes, Date.now());
      if (asked === undefined) return false;
      current = holds(asked, Date.now()) ? asked : base;
      watchEnd();
      // It holds all the same, and has to be sent.
      await kept.write(current === base ? undefined : current).catch(failed);
      return true;
    },
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

module.exports = { createOverrideSwitch };
