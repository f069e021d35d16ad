import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { AccountServices } from "../../accounts/create.js";
import type { ActuatorService } from "../../equipment/service.js";
import type { ForecastRun } from "../../forecast/price/forecast.js";
import type { Webhooks } from "../../messages/webhooks/service.js";
import type { BillService } from "../../money/bill/bill-service.js";
import type { Ledger } from "../../money/ledger/ledger.js";
import type { SampleArchive } from "../../store/sample-archive.js";
import type { MeterServices } from "./meter-operations.js";

/** Services used by the admin operations. */
export interface AdminServices extends AccountServices {
  webhooks: Pick<Webhooks, "set" | "test">;
  /** Runs the forecast now; absent if no gateway is running. */
  runForecast?: () => Promise<ForecastRun>;
  /** Devices that the gateway switches; absent if no gateway is running. */
  actuators?: Pick<ActuatorService, "list" | "test" | "setEnabled">;
  /** Monthly bills; absent in tests of other operations. */
  bills?: Pick<BillService, "month" | "year">;
  /** Savings; absent in tests of other operations. */
  ledger?: Pick<Ledger, "days" | "details">;
  /** Stored telemetry; absent in tests of other operations. */
  samples?: Pick<SampleArchive, "portions" | "latest">;
  /** Imported meter data; absent in tests of other operations. */
  meter?: MeterServices;
  /** Public address of the gateway, for created links. */
  baseUrl: () => string;
  /** Address of the portal where it differs from `baseUrl`, as in a fleet. */
  portalUrl?: () => string;
}

/** One command. */
export interface AdminOperation {
  /** Returns a JSON document with snake_case names, which the command prints with `--json`. */
  run(services: AdminServices, input: unknown): Promise<object>;
}

/** A request that cannot be fulfilled; the message says what to do instead. */
export class AdminError extends Error {
  override readonly name = "AdminError";
}

interface TextField {
  type: "string";
  enum?: readonly string[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
}

/** The schemas below are checked by their TypeScript types. */
const ajv = new Ajv2020({ allErrors: false, validateSchema: false });

/** An operation with text and boolean arguments, which are validated before `run`. Throws AdminError. */
export function adminOperation<Input extends object>(
  fields: {
    required?: Readonly<Record<string, TextField>>;
    optional?: Readonly<Record<string, TextField | { type: "boolean" }>>;
  },
  run: (services: AdminServices, input: Input) => Promise<object>,
): AdminOperation {
  let validate: ValidateFunction<Input> | undefined;
  return {
    run: async (services, input) => {
      // Compiled at the first request: most gateways never use it.
      validate ??= ajv.compile<Input>({
        type: "object",
        required: Object.keys(fields.required ?? {}),
        additionalProperties: false,
        properties: { ...fields.required, ...fields.optional },
      });
      if (!validate(input)) {
        const { instancePath = "", message, params } = validate.errors?.[0] ?? {};
        const allowed = (params as { allowedValues?: string[] } | undefined)?.allowedValues;
        const what = instancePath === "" ? "The request" : `"${instancePath.slice(1)}"`;
        throw new AdminError(
          allowed === undefined
            ? `${what} is not valid: ${message ?? "its form is wrong"}.`
            : `${what} must be one of ${allowed.join(", ")}.`,
        );
      }
      return run(services, input);
    },
  };
}

/** A text field; `maxLength` bounds what a faulty client can store. */
export const textField = { type: "string", maxLength: 1000 } as const;
/** A text field that must not be empty. */
export const name = { ...textField, minLength: 1 } as const;
