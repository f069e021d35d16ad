import { accessDocument } from "../accounts/access.js";
import { BATTERY_READINGS, SITE_READINGS, SLOT_READINGS } from "../core/domain/sample.js";
import { SLOT_NUMBERS } from "../core/domain/slot.js";
import { NESTED_READINGS, parseTelemetry } from "../telemetry/parse.js";
import { DOCUMENTED_TIME } from "./contract.js";
import { telemetryDocument } from "./documents/telemetry.js";
import { localZone } from "./horizon.js";
import { createInputReader, invalidParameter } from "./input.js";
import { notAvailable } from "./not-available.js";
import type { Call, Caller, Document, Operation } from "./operation.js";
import { accessSchema, errorSchema, objectOf, timeSchema, timezoneSchema } from "./schemas.js";
import type { Services } from "./services.js";

/** A parsed telemetry body: the valid samples and the rejected fields. */
export type TelemetryInput = {
  timezone?: string;
  samples: ReturnType<typeof parseTelemetry>["samples"];
  rejected: ReturnType<typeof parseTelemetry>["rejected"];
  outside: ReturnType<typeof parseTelemetry>["outside"];
};

/** Above the softcap the history keeps one sample per interval of this length; the live state takes all samples. */
const SOFTCAP_THIN_SECONDS = 60;

/** Creates the parser of telemetry bodies. It throws ApiError if no sample can be stored. */
export function telemetryReader(services: Services) {
  const readCommon = createInputReader({ type: "object", properties: { timezone: timezoneSchema } });
  return (raw: Record<string, unknown>, { access, now }: Caller): TelemetryInput => {
    const { timezone } = readCommon(raw) as { timezone?: string };
    const zone = timezone ?? localZone(services, access);
    const { samples, rejected, outside, tooMany, count } = parseTelemetry(raw, {
      now,
      zone,
      batteries: access.site?.plant.batteries.map(({ id }) => id) ?? [],
    });
    if (tooMany) {
      throw invalidParameter([
        {
          field: "samples",
          message: `samples holds ${count} entries: send at most 1000 in one request, split the batch.`,
        },
      ]);
    }
    const isBatch = count > 0 && Object.hasOwn(raw, "samples");
    if (!isBatch && samples.length === 0) {
      if (access.site !== undefined) services.telemetry.leaveOut(access.site.id, outside);
      throw invalidParameter(rejected.map(({ field, message }) => ({ field, message })));
    }
    return { samples, rejected, outside, ...(timezone === undefined ? {} : { timezone }) };
  };
}

/** Stores the samples and returns the live state (docs/spec/http-api.md section 9). */
export async function storeTelemetry(services: Services, call: Call<TelemetryInput>): Promise<Document> {
  const { access, input } = call;
  if (access.site === undefined) throw notAvailable("Telemetry", { accepted: 0, duplicates: 0 });
  const softcapExceeded = call.softcapExceeded ?? false;
  services.telemetry.leaveOut(access.site.id, input.outside);
  const stored = await services.telemetry.ingest(
    access.site.id,
    input.samples.map(({ sample }) => sample),
    softcapExceeded ? { thinSeconds: SOFTCAP_THIN_SECONDS } : {},
  );
  return telemetryDocument({
    accepted: stored.accepted,
    duplicates: stored.duplicates,
    softcapExceeded,
    rejected: input.rejected,
    latest: stored.latest,
    held: stored.held,
    zone: input.timezone ?? localZone(services, access),
    access: accessDocument(access),
  });
}

/** JSON Schema of the readings, for documentation; parse.ts validates field by field. */
const propertiesOf = (readings: Readonly<Record<string, { min: number; max: number }>>) =>
  Object.fromEntries(
    Object.entries(readings).map(([name, { min, max }]) => [
      name,
      {
        // Only a flag, such as ev_connected, has the range from 0 to 1.
        ...(min === 0 && max === 1
          ? { type: ["boolean", "integer", "string"], pattern: "^(?:true|false|0|1)$" }
          : { type: ["number", "string"], pattern: "^-?[0-9]{1,9}(?:[.,][0-9]{1,6})?$" }),
        minimum: min,
        maximum: max,
        description: `From ${min} to ${max}; a number, or one as text.`,
      },
    ]),
  );

/** The readings of each device slot. */
const slotsProperty = {
  type: "object",
  properties: Object.fromEntries(
    SLOT_NUMBERS.map((slot) => [slot, { type: "object", properties: propertiesOf(SLOT_READINGS) }]),
  ),
  additionalProperties: false,
  description:
    "Readings of devices by slot number: power, state of charge of the vehicle, temperature of the tank, cumulative energy. Also flat, such as slot_1_power_kw.",
};

/** The nested form of a sample, as accepted by hours-demand. */
const nestedProperties = Object.fromEntries(
  Object.entries(NESTED_READINGS).map(([group, readings]) => [
    group,
    {
      type: "object",
      properties: propertiesOf(readings),
      description: `Nested form: { ${Object.keys(readings).join(", ")} }.`,
    },
  ]),
);

const sampleProperties = {
  timestamp: {
    type: ["string", "number"],
    ...DOCUMENTED_TIME,
    minimum: 1e9,
    description:
      "ISO 8601, or seconds or milliseconds since 1970; default: now; at most 5 minutes in the future.",
  },
  ...propertiesOf(SITE_READINGS),
  ...nestedProperties,
  slots: slotsProperty,
  battery_id: {
    type: "string",
    minLength: 1,
    description:
      "Of several batteries, the one that soc_pct and battery_power_kw (or power_kw) of this sample belong to; without it they are those of all batteries together.",
  },
  batteries: {
    type: "object",
    propertyNames: { minLength: 1 },
    additionalProperties: { type: "object", properties: propertiesOf(BATTERY_READINGS) },
    description: "Readings of several batteries by id: state of charge, and power (positive: charging).",
  },
};

export const telemetryResponse = objectOf(
  {
    accepted: { type: "integer", minimum: 0, description: "Samples stored, duplicates included." },
    duplicates: { type: "integer", minimum: 0 },
    softcap_exceeded: { type: "boolean" },
    access: accessSchema,
    rejected: {
      type: "array",
      items: objectOf({
        index: { type: "integer", minimum: 0 },
        field: { type: "string" },
        message: { type: "string" },
      }),
    },
    latest: { type: "object", additionalProperties: { type: "number" } },
    latest_at: { type: "object", additionalProperties: timeSchema },
  },
  {
    implausible: {
      type: "object",
      additionalProperties: { type: "number" },
      description:
        "Readings that cannot be after the last one: not used, and not part of latest, until later readings confirm them (a counter or a power: three in a row).",
    },
  },
);

const telemetryReduced = objectOf(
  { accepted: { const: 0 }, error: errorSchema, access: accessSchema },
  { duplicates: { const: 0 } },
);

/** POST /v1/plant/telemetry (docs/spec/http-api.md section 9). */
export function telemetryOperation(services: Services): Operation<TelemetryInput> {
  return {
    method: "POST",
    path: "/v1/plant/telemetry",
    purpose: "Ingest plant telemetry: battery SOC, cumulative meters, powers; one sample or a batch.",
    schema: {
      type: "object",
      minProperties: 1,
      properties: {
        timezone: timezoneSchema,
        ...sampleProperties,
        samples: {
          type: "array",
          minItems: 1,
          maxItems: 1000,
          items: { type: "object", minProperties: 1, properties: sampleProperties },
          description: "A batch; the other members are then left out.",
        },
      },
    },
    contract: {
      tag: "plant",
      description:
        "At least one reading. Valid readings of a sample are stored, invalid ones are listed in rejected; if none is valid, the answer is 400.",
      example: { soc_pct: 55, pv_power_kw: 3.2, load_power_kw: 0.6, import_kwh: 12345.6 },
    },
    response: telemetryResponse,
    reduced: telemetryReduced,
    quotaClass: () => "telemetry",
    read: telemetryReader(services),
    run: (call) => storeTelemetry(services, call),
  };
}
