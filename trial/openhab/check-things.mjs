#!/usr/bin/env node
// Checks an openHAB things file against a running gateway: each state topic is there and its value suits the type of the channel, each command
// topic of a reading is acknowledged. It is no openHAB; it stands in until one can be run.
//
//   node check-things.mjs FILE [KEY]     in a built checkout; FILE: conf/things/hourgate.things as the portal shows it; KEY replaces its password
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const [file, key] = process.argv.slice(2);
if (!file) throw new Error("usage: check-things.mjs FILE [KEY]");
const text = readFileSync(file, "utf8");
const options = (part) =>
  Object.fromEntries(
    [...part.matchAll(/(\w+)\s*=\s*(?:"([^"]*)"|([\w.]+))/g)].map(([, name, quoted, bare]) => [
      name,
      quoted ?? bare,
    ]),
  );
const bridge = options(/Bridge mqtt:broker:\w+[^[]*\[([^\]]*)\]/.exec(text)?.[1] ?? "");
const thing = options(/Thing topic \w+[^[]*\[([^\]]*)\]/.exec(text)?.[1] ?? "");
const channels = [...text.matchAll(/Type (\w+)\s*:\s*(\w+)[^[\n]*\[([^\]]*)\]/g)].map(
  ([, type, name, part]) => ({ type, name, ...options(part) }),
);
const { connectAsync } = createRequire(path.resolve("package.json"))("mqtt");
const client = await connectAsync(`mqtt://${bridge.host}:${bridge.port}`, {
  username: bridge.username,
  password: key ?? bridge.password,
});
const values = new Map();
client.on("message", (topic, payload) => values.set(topic, `${payload}`));
const stateTopics = channels.flatMap(({ stateTopic }) => stateTopic ?? []);
const root = (stateTopics[0] ?? "").split("/").slice(0, 2).join("/");
await client.subscribeAsync([`${root}/#`, thing.availabilityTopic].filter(Boolean));
const suits = ({ type, on = "ON", off = "OFF" }, value) => {
  if (type === "switch" || type === "contact") return [on, off].includes(value);
  if (type === "number") return value !== "" && Number.isFinite(Number(value));
  return type !== "datetime" || !Number.isNaN(Date.parse(value));
};
const wrong = [];
for (const { name, commandTopic } of channels.filter((one) => one.commandTopic?.includes("/telemetry/"))) {
  values.delete(`${root}/ack`);
  await client.publishAsync(commandTopic, "42", { qos: 1 });
  for (let tries = 0; tries < 40 && !values.has(`${root}/ack`); tries++) await sleep(100);
  const ack = JSON.parse(values.get(`${root}/ack`) ?? "{}");
  if (ack.ok !== true) wrong.push(`${name}: 42 on ${commandTopic} is answered with ${JSON.stringify(ack)}`);
}
// Topics that are not retained, such as the heartbeat, come within half a minute.
for (let s = 0; s < 40 && !stateTopics.every((topic) => values.has(topic)); s++) await sleep(1_000);
const { availabilityTopic, payloadAvailable } = thing;
if (availabilityTopic && values.get(availabilityTopic) !== payloadAvailable)
  wrong.push(
    `availability: ${availabilityTopic} is ${values.get(availabilityTopic)}, not ${payloadAvailable}`,
  );
for (const channel of channels) {
  const { name, stateTopic, commandTopic, type } = channel;
  const value = values.get(stateTopic);
  if (stateTopic && value === undefined) wrong.push(`${name}: nothing on ${stateTopic}`);
  else if (stateTopic && !suits(channel, value))
    wrong.push(`${name}: ${JSON.stringify(value)} is no ${type}`);
  console.log(`${name} (${type}): ${stateTopic ?? commandTopic} ${stateTopic ? value : ""}`);
}
await client.endAsync();
for (const line of wrong) console.log(`WRONG ${line}`);
console.log(`${channels.length} channels, ${wrong.length} wrong`);
process.exit(wrong.length === 0 && channels.length > 0 ? 0 : 1);
