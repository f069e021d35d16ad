#!/usr/bin/env node
// Listens to or sends on a broker, with the MQTT client of the project; run it in the checkout of the project.
//
//   node mqtt.mjs sub mqtt://HOST:PORT KEY FILTER [SECONDS]       prints time, r for retained, topic, payload
//   node mqtt.mjs pub mqtt://HOST:PORT KEY TOPIC PAYLOAD
import { createRequire } from "node:module";
import path from "node:path";

const mqtt = createRequire(path.resolve("package.json"))("mqtt");
const [what, url, password, topic, last] = process.argv.slice(2);
const client = mqtt.connect(url, { username: "trial", password, reconnectPeriod: 0 });
client.on("error", (error) => {
  console.error(error.message);
  process.exit(1);
});
client.on("connect", () => {
  if (what === "pub") return client.publish(topic, last, { qos: 1 }, () => client.end());
  client.subscribe(topic, { qos: 1 });
  setTimeout(() => client.end(), 1000 * Number(last ?? 3));
});
client.on("message", (name, payload, packet) => {
  const text = payload.toString();
  console.log(
    new Date().toISOString().slice(11, 23),
    packet.retain ? "r" : "-",
    name,
    text.length > 200 ? `${text.slice(0, 160)}… (${text.length})` : text,
  );
});
