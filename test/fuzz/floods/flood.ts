import type { MqttClient } from "mqtt";

/** A gateway under attack. */
export interface Target {
  httpPort: number;
  /** Port of the Node-RED editor. */
  editorPort: number;
  mqttPort: number;
  /** MQTT user of another plant than the household's. */
  tenant: { username: string; password: string };
  /** A signed-in client of the household; its answers are timed while the flood runs. */
  household: MqttClient;
}

/** One kind of attack on loopback; takes a few seconds. */
export interface Flood {
  name: string;
  /** Longest time in which the household must get an answer by MQTT and by HTTP while the flood runs, milliseconds. */
  answerMs: number;
  /** Resolves when the attack is over; throws an Error if a bound is violated. */
  run(target: Target): Promise<void>;
}
