import { closedObject } from "../core/domain/json-schema.js";
import { each } from "../core/shape.js";
import { detectSchema } from "./reading/detect-schema.js";
import { CLOCK, DEVICE_READINGS, FACT_UNITS, IDENTITY_KEYS } from "./reading/names.js";
import { ALL_STATES, CONTROLS, EFFECT_KEYS } from "./states.js";
import { LIVE_VARIABLES } from "./variables.js";

/** JSON Schema of a template file (docs/actuators.md, "Writing a template"; docs/devices.md). The types are derived from it. */

const text = closedObject({ en: { type: "string" }, de: { type: "string" } });

const texts = closedObject({
  en: { type: "array", items: { type: "string" } },
  de: { type: "array", items: { type: "string" } },
});

const expression = { type: "string", maxLength: 4000 } as const;
/** A number, or an expression that gives one. */
const amount = { type: ["number", "string"] } as const;
const scalar = { type: ["string", "number", "boolean"] } as const;
/** A value, or a list of values of which one must match; texts are expressions. */
const wanted = { anyOf: [scalar, { type: "array", minItems: 1, items: scalar }] } as const;
const headers = { type: "object", additionalProperties: { type: "string" } } as const;

/** Where a value is in an answer or a message: a JSON pointer, or a regular expression with one group; else the whole text. */
const place = { pointer: { type: "string" }, regex: { type: "string", maxLength: 200 } } as const;

const publication = closedObject({ topic: expression }, { payload: expression });

const source = {
  ...place,
  url: expression,
  method: { type: "string", enum: ["GET", "POST"] },
  headers,
  body: expression,
  topic: expression,
  or_topic: expression,
  ask: publication,
  ignore: { type: "array", items: { type: "string" } },
} as const;

const reading = { type: "object", additionalProperties: false, properties: source } as const;
/** `optional`: some devices do not have it. */
const foundValue = { ...reading, properties: { ...source, optional: { type: "boolean" } } } as const;

const condition = closedObject(
  {},
  { ...source, equals: wanted, not_equals: wanted, below: amount, tolerance: amount },
);

const neighbour = {
  ...condition,
  properties: { ...condition.properties, says: text },
  required: ["says"],
} as const;

const check = closedObject(
  {
    expect: { type: "object", additionalProperties: wanted },
  },
  {
    ...source,
    when: expression,
    tolerance: amount,
    tolerance_pct: amount,
    retained: { type: "boolean" },
  },
);

const request = closedObject(
  {},
  {
    when: expression,
    method: { type: "string", pattern: "^(GET|POST|PUT|DELETE|PATCH|\\{.*)$" },
    url: expression,
    headers,
    body: expression,
    answer: closedObject({ equals: wanted }, { ...place }),
    topic: expression,
    payload: expression,
    /** Over Modbus: values by the names of registers; several are written together. */
    set: { type: "object", minProperties: 1, additionalProperties: amount },
    pause_ms: { type: "integer", minimum: 0, maximum: 10_000 },
    until: {
      ...condition,
      properties: { ...condition.properties, deadline_s: amount },
    },
  },
);

const requests = { type: "array", maxItems: 30, items: request } as const;

/** Readings by name; each is checked by `readingFaults`. */
const readings = {
  type: "object",
  propertyNames: { enum: Object.keys(DEVICE_READINGS) },
  additionalProperties: { type: "object" },
} as const;

const facts = {
  type: "object",
  propertyNames: { enum: Object.keys(FACT_UNITS) },
  additionalProperties: { type: "object" },
} as const;

/** A text, or a reading that gives one. */
const identity = {
  type: "object",
  propertyNames: { enum: [...IDENTITY_KEYS, CLOCK] },
  additionalProperties: { type: ["string", "object"] },
} as const;

const given = { readings, facts, identity, sleeps: { type: "boolean" }, asleep: { type: "object" } } as const;

/** The connection of a Modbus device. Its parameters host, port, unit and framing need not be declared. */
const modbus = closedObject(
  {},
  {
    port: { type: "integer" },
    /** Where datagrams go, if not to `port`. */
    udp_port: { type: "integer" },
    unit: { type: "integer", minimum: 0, maximum: 255 },
    framing: { type: "array", minItems: 1, items: { type: "string", enum: ["tcp", "rtu", "udp"] } },
    baud: { type: "integer" },
    parity: { type: "string", enum: ["none", "even", "odd"] },
    connect_delay_ms: { type: "integer", minimum: 0, maximum: 10_000 },
    pause_ms: { type: "integer", minimum: 0, maximum: 10_000 },
    max_registers: { type: "integer", minimum: 1, maximum: 125 },
    gap: { type: "integer", minimum: 0, maximum: 100 },
    timeout_s: amount,
    /** Where the marker of SunSpec may be. */
    bases: { type: "array", items: { type: "integer" } },
  },
);

/** Keys that a transport may state otherwise than the template. */
const pace = {
  ...each(["lease_s", "repeat_s", "settle_s", "deadline_s", "applied_s", "poll_s"], amount),
  ...each(["min_dwell_s", "max_writes_per_day", "deadband_kw"], amount),
  leased: { type: "array", items: { type: "string", enum: ALL_STATES } },
  effect: {
    type: "object",
    propertyNames: { enum: ALL_STATES },
    additionalProperties: closedObject({}, each(EFFECT_KEYS, { type: "boolean" } as const)),
  },
  needs: { type: "array", items: { type: "string", enum: LIVE_VARIABLES } },
} as const;

const transport = closedObject(
  {},
  {
    commands: { type: "object", additionalProperties: requests, default: {} },
    /** What commands over Modbus may read and write; each is checked by `registerFaults`. */
    registers: {
      type: "object",
      propertyNames: { pattern: "^[a-z][a-z0-9_]*$" },
      additionalProperties: { type: "object" },
    },
    kind: { type: "string", enum: ["http", "mqtt", "modbus", "udp", "speedwire", "rct"] },
    name: text,
    ...pace,
    ...given,
    modbus,
    udp: closedObject({ port: amount }, { host: expression, local_port: amount }),
    speedwire: closedObject({}, { group: { type: "string" }, port: amount, serial: expression }),
    auth: closedObject(
      {
        kind: expression,
      },
      {
        username: expression,
        password: expression,
        token: expression,
        challenge_header: { type: "string" },
      },
    ),
    verify_tls: expression,
    timeout_s: amount,
    broker: closedObject(
      {
        url: expression,
      },
      {
        username: expression,
        password: expression,
        will: publication,
      },
    ),
    target: expression,
    exit: { anyOf: [{ type: "string" }, requests] },
    exit_after_restart: requests,
    read: { type: "array", maxItems: 20, items: check },
    applied: { type: "array", maxItems: 20, items: check },
    found: { type: "object", additionalProperties: foundValue },
    setup: requests,
    keepalive: closedObject(
      { every_s: amount, requests },
      { while: { type: "string", enum: ["enabled", "active"] } },
    ),
    available: condition,
    /** Each shows that the device lacks what the parameters name. */
    absent: { type: "array", maxItems: 10, items: condition },
    alive: reading,
    uptime: reading,
    boots: reading,
    neighbours: { type: "array", maxItems: 10, items: neighbour },
    declines: { type: "array", maxItems: 10, items: condition },
    lock: closedObject({
      states: { type: "array", items: { type: "string", enum: ALL_STATES } },
      use: { type: "string", enum: ALL_STATES },
      all: { type: "array", minItems: 1, maxItems: 10, items: condition },
    }),
  },
);

const parameter = closedObject(
  {
    type: { type: "string", enum: ["string", "number", "integer", "boolean", "map"] },
    title: text,
  },
  {
    hint: text,
    default: {},
    enum: { type: "array", items: scalar },
    minimum: { type: "number" },
    maximum: { type: "number" },
    pattern: { type: "string" },
    secret: { type: "boolean" },
    expression: { type: "boolean" },
    /** It may be left out where the device takes no commands. */
    commands_only: { type: "boolean" },
    /** Of a map: it has a source for each reading; otherwise its keys are states. */
    keys: { type: "string", enum: ["readings"] },
    /** Whose list has the sources. */
    offered_by: { type: "string", enum: ["home_assistant"] },
  },
);

export const templateSchema = closedObject(
  {
    id: { type: "string", pattern: "^[a-z0-9][a-z0-9-]{0,40}$" },
    name: text,
    parameters: {
      type: "object",
      additionalProperties: parameter,
      propertyNames: { pattern: "^[a-z][a-z0-9_]*$" },
    },
    transports: { type: "object", minProperties: 1, additionalProperties: transport },
  },
  {
    controls: { type: "array", items: { type: "string", enum: CONTROLS }, default: [] },
    experimental: { type: "boolean", default: false },
    ...given,
    detect: { type: "array", maxItems: 20, items: detectSchema },
    requirements: texts,
    hazards: texts,
    source: { type: "array", items: { type: "string" } },
    ...pace,
    values: { type: "object", additionalProperties: amount },
    taken_kw: expression,
    instead: {
      type: "array",
      items: closedObject(
        {
          state: { type: "string", enum: ALL_STATES },
          use: { type: "string", enum: ALL_STATES },
        },
        {
          when: expression,
          says: text,
        },
      ),
    },
  },
);
