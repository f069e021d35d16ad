import { entityId } from "../../core/domain/home-assistant-id.js";

/** Automations of Home Assistant as YAML, ready to copy except for the owner's own entities. */

/** A reading that is older, or not a number, is not sent: hourgate must notice that an integration hangs. */
const OLDEST = "timedelta(minutes=15)";

export function socAutomation(telemetry: string): string {
  return `alias: hourgate SOC
triggers:
  - trigger: state
    entity_id: sensor.battery_soc
  - trigger: time_pattern
    minutes: "/5"
conditions:
  - condition: template
    value_template: >-
      {{ is_number(states('sensor.battery_soc'))
         and now() - states.sensor.battery_soc.last_reported < ${OLDEST} }}
actions:
  - action: mqtt.publish
    data:
      topic: ${telemetry}/soc_pct
      qos: 1
      payload: "{{ states('sensor.battery_soc') }}"`;
}

export function readingsAutomation(telemetry: string): string {
  return `alias: hourgate readings
triggers:
  - trigger: time_pattern
    seconds: "/30"
actions:
  - variables:
      # entity and factor: 0.001 for W, 1 for kW, kWh and %; -0.001 if positive means discharging
      sensors:
        soc_pct: [sensor.battery_soc, 1]
        pv_power_kw: [sensor.pv_power, 0.001]
        load_power_kw: [sensor.house_power, 0.001]
        battery_power_kw: [sensor.battery_power, 0.001]
        import_kwh: [sensor.grid_import_energy, 1]
        export_kwh: [sensor.grid_export_energy, 1]
      readings: >-
        {% set fresh = namespace(values={}) %}
        {% for name, sensor in sensors.items() %}
          {% set state = states[sensor[0]] %}
          {% if state is not none and is_number(state.state) and now() - state.last_reported < ${OLDEST} %}
            {% set fresh.values = dict(fresh.values, **{name: state.state | float * sensor[1]}) %}
          {% endif %}
        {% endfor %}
        {{ fresh.values }}
  - condition: template
    value_template: "{{ readings | length > 0 }}"
  - action: mqtt.publish
    data:
      topic: ${telemetry}
      qos: 1
      payload: "{{ readings | to_json }}"`;
}

/** Switches a device by an output; off 10 s after the gateway is gone, so that the device is left to its own control. */
export function obeyAutomation(site: string, { label, key }: { label: string; key: string }): string {
  const id = entityId("binary_sensor", site, key);
  return `alias: ${JSON.stringify(`hourgate switches ${label}`)}
mode: restart
triggers:
  - trigger: state
    entity_id: ${id}
    to: ["on", "off"]
  - trigger: state
    entity_id: ${id}
    to: unavailable
    for: "00:00:10"
actions:
  - action: switch.turn_{{ 'on' if trigger.to_state.state == 'on' else 'off' }}
    target:
      entity_id: switch.my_device`;
}

/** The part of the configuration with which hourgate joins Home Assistant's broker. */
export function externalBroker(comment: string): string {
  return `mqtt:
  external:
    url: mqtt://homeassistant.local:1883   # ${comment}
    username: hourgate
    password: "…"`;
}
