import { Ajv } from "ajv";

const text = { type: "string", minLength: 1 };
const common = [
  "p",
  "unique_id",
  "name",
  "default_entity_id",
  "object_id",
  "stat_t",
  "val_tpl",
  "ic",
  "ent_cat",
  "dev_cla",
];
const component = (p: string, more: object, required: string[] = []) => ({
  type: "object",
  required: ["p", "unique_id", "name", "stat_t", ...required],
  properties: {
    ...Object.fromEntries(common.map((name) => [name, text])),
    p: { const: p },
    ent_cat: { enum: ["diagnostic", "config"] },
    default_entity_id: { type: "string", pattern: `^${p}\\.[a-z0-9_]+$` },
    object_id: { type: "string", pattern: "^[a-z0-9_]+$" },
    ...more,
  },
  additionalProperties: false,
});
const flags = { pl_on: { const: "1" }, pl_off: { const: "0" } };

/** The rules of Home Assistant's documentation for device discovery. */
const RULES = {
  type: "object",
  required: ["dev", "o", "cmps"],
  additionalProperties: false,
  properties: {
    dev: {
      type: "object",
      required: ["ids", "name"],
      additionalProperties: false,
      properties: {
        ids: { type: "array", items: text, minItems: 1 },
        ...Object.fromEntries(["name", "mf", "mdl", "sw"].map((name) => [name, text])),
        cu: { type: "string", pattern: "^https?://" },
      },
    },
    o: {
      type: "object",
      required: ["name"],
      additionalProperties: false,
      properties: { name: text, sw: text, url: { type: "string", pattern: "^https?://" } },
    },
    availability: {
      type: "array",
      items: {
        type: "object",
        required: ["topic"],
        additionalProperties: false,
        properties: { topic: text },
      },
    },
    qos: { enum: [0, 1, 2] },
    cmps: {
      type: "object",
      propertyNames: { pattern: "^[a-zA-Z0-9_-]+$" },
      additionalProperties: {
        oneOf: [
          {
            ...component("sensor", {
              unit_of_meas: text,
              stat_cla: { enum: ["measurement", "total", "total_increasing"] },
              sug_dsp_prc: { type: "integer", minimum: 0 },
              lrst_val_tpl: text,
              options: { type: "array", items: text, minItems: 1 },
            }),
            allOf: [
              when(has("dev_cla", "power"), has("unit_of_meas", "kW")),
              when(has("dev_cla", "duration"), has("unit_of_meas", "h", "min")),
              when(has("dev_cla", "battery"), has("unit_of_meas", "%")),
              // Energy must not have the state class measurement.
              when(has("dev_cla", "energy"), {
                ...has("unit_of_meas", "kWh"),
                not: { required: ["stat_cla"] },
              }),
              // Money must not have the state class measurement; a last reset needs a total.
              when(has("dev_cla", "monetary"), has("stat_cla", "total")),
              when({ required: ["lrst_val_tpl"] }, has("stat_cla", "total")),
              when(has("dev_cla", "enum", "timestamp"), {
                not: { anyOf: [{ required: ["stat_cla"] }, { required: ["unit_of_meas"] }] },
              }),
              when(has("dev_cla", "enum"), { required: ["options"] }),
              when({ required: ["options"] }, has("dev_cla", "enum")),
            ],
          },
          component("binary_sensor", flags, ["pl_on", "pl_off"]),
          component("switch", { ...flags, stat_on: { const: "1" }, stat_off: { const: "0" }, cmd_t: text }, [
            "cmd_t",
          ]),
          component("select", { cmd_t: text, options: { type: "array", items: text, minItems: 1 } }, [
            "cmd_t",
            "options",
          ]),
          component("text", { cmd_t: text, cmd_tpl: text, pattern: text }, ["cmd_t"]),
          // A removed entity.
          { type: "object", required: ["p"], additionalProperties: false, properties: { p: text } },
        ],
      },
    },
  },
};

function when(condition: object, consequence: object) {
  return { anyOf: [{ not: condition }, consequence] };
}

function has(name: string, ...values: string[]) {
  return { required: [name], properties: { [name]: { enum: values } } };
}

/** Whether a document follows the rules; `errors` says what does not. */
export const valid = new Ajv({ strict: false, allErrors: true }).compile(RULES);
