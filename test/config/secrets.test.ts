import { expect, it } from "vitest";
import { firstSecret } from "../../src/config/load.js";

it.each([
  [{ owner: { key: "hg_live_x" } }, ["owner", "key"]],
  [{ smtp: { host: "mail.example", username: "a", password: "b" } }, ["smtp", "password"]],
  [{ actuators: [{ parameters: { password: 1234 } }] }, ["actuators", "0", "parameters", "password"]],
  [{ store: { postgres: { url: "postgresql://hourgate:secret@db:5432/x" } } }, ["store", "postgres", "url"]],
  [{ market: { sources: [{ type: "entsoe", token: "t" }] } }, ["market", "sources", "0", "token"]],
])("finds the secret in %j", (value, path) => {
  expect(firstSecret(value)).toEqual(path);
});

it.each([
  undefined,
  {},
  { owner: { key: null, password: "" } },
  { http: { tls: { cert_file: "/a", key_file: "/b" } }, market: { sources: [{ token_file: "/c" }] } },
  { mqtt: { external: { url: "mqtt://192.168.1.2:1883" } } },
])("finds none in %j", (value) => {
  expect(firstSecret(value)).toBeUndefined();
});
