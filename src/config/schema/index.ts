import { actuatorsSchema } from "./actuator.js";
import { httpSchema, smtpSchema } from "./http.js";
import { text } from "./kinds.js";
import { limitsSchema } from "./limits.js";
import { marketSchema } from "./market.js";
import { mqttSchema } from "./mqtt.js";
import {
  accountsSchema,
  clockSchema,
  fleetSchema,
  forecastSchema,
  logSchema,
  metricsSchema,
  nodeRedSchema,
  ownerSchema,
  redisSchema,
  telemetrySchema,
  webhooksSchema,
} from "./operation.js";
import { plantSchema } from "./plant.js";
import { quotasSchema } from "./quotas.js";
import { dataStoreSchema } from "./store.js";
import { weatherSchema } from "./weather.js";

/** The whole configuration: types, validation, editor help and reference are derived from it (JSON Schema 2020-12). */
export const configurationSchema = {
  type: "object",
  description: "Configuration of hourgate.",
  additionalProperties: false,
  properties: {
    data_dir: text(
      { format: "path", default: "data" },
      "Data folder, relative to the working directory; one gateway per folder.",
    ),
    store: dataStoreSchema,
    http: httpSchema,
    clock: clockSchema,
    owner: ownerSchema,
    accounts: accountsSchema,
    market: marketSchema,
    weather: weatherSchema,
    forecast: forecastSchema,
    mqtt: mqttSchema,
    node_red: nodeRedSchema,
    webhooks: webhooksSchema,
    smtp: smtpSchema,
    quotas: quotasSchema,
    limits: limitsSchema,
    redis: redisSchema,
    fleet: fleetSchema,
    telemetry: telemetrySchema,
    actuators: actuatorsSchema,
    log: logSchema,
    metrics: metricsSchema,
    plants: {
      type: "array",
      maxItems: 10_000,
      default: [{ id: "home", name: "Home", latitude: 48.21, longitude: 16.37, battery: {} }],
      description: "The plants (sites). Default: one plant in Vienna with a 10 kWh battery.",
      items: plantSchema,
    },
  },
} as const;
