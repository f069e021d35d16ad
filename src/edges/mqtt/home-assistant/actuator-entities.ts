import { ACTUATOR_PHASES } from "../../../core/domain/actuator.js";
import type { Texts } from "../../../texts/index.js";
import { DIAGNOSTIC, type Entity, sensor, wordsOf } from "./entity.js";

/** What an actuator is and drives. */
export interface DiscoveryActuator {
  id: string;
  /** `battery`, `feed_in`, `slot 3`, `sg_ready 3`. */
  controls: string;
}

/**
 * The entities of an actuator. `isNamed`: its device has several actuators, which their names have to tell apart.
 */
export function actuatorEntities(
  { id }: DiscoveryActuator,
  { topic, texts, isNamed }: { topic(name: string): string; texts: Texts; isNamed: boolean },
): Entity[] {
  const { actuator, words } = texts.homeAssistant;
  const of = (name: string) => topic(`actuators/${id}/${name}`);
  const named = (name: keyof typeof actuator) => ({
    key: `actuator_${id}_${name}`,
    name: isNamed ? `${actuator[name]} (${id})` : actuator[name],
  });
  const starting = { unknown: "starting" } as const;
  const sensorOf = (
    name: keyof typeof actuator,
    config: Parameters<typeof sensor>[2],
    more?: typeof starting,
  ): Entity => ({ ...sensor("", "", config, more), ...named(name) });
  const phases = Object.fromEntries(ACTUATOR_PHASES.map((phase) => [phase, words.phase[phase]]));
  const states = JSON.stringify({ ...texts.actuators.states, none: texts.actuators.nothing });
  return [
    sensorOf("state", { topic: of("state"), ...wordsOf(phases), ic: "mdi:state-machine" }, starting),
    sensorOf(
      "confirmed",
      {
        topic: of("confirmed"),
        // Templates of users may name states of their own.
        val_tpl: `{{ ${states}.get(value, value) if value else None }}`,
        ic: "mdi:check-decagram",
      },
      starting,
    ),
    // State and attribute change together, by one topic.
    {
      ...named("problem"),
      platform: "binary_sensor",
      config: {
        stat_t: of("problem"),
        val_tpl: "{{ '1' if value and 'last_error' in value_json else '0' }}",
        pl_on: "1",
        pl_off: "0",
        dev_cla: "problem",
        json_attr_t: of("problem"),
        // Cleared when the actuator is removed.
        json_attr_tpl: "{{ value if value else '{}' }}",
        ...DIAGNOSTIC,
      },
    },
    sensorOf("writes", {
      topic: of("writes_today"),
      stat_cla: "total_increasing",
      ic: "mdi:send",
      ...DIAGNOSTIC,
    }),
    {
      ...named("enabled"),
      platform: "switch",
      config: {
        stat_t: of("enabled"),
        cmd_t: of("enabled/set"),
        pl_on: "1",
        pl_off: "0",
        stat_on: "1",
        stat_off: "0",
        ic: "mdi:robot",
      },
    },
  ];
}
