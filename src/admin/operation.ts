import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { AccountServices } from "../accounts/create.js";
import type { ForecastRun } from "../forecast/forecast.js";
import type { Webhooks } from "../webhooks/service.js";

/** What the operations of administration work on. */
export interface AdminServices extends AccountServices {
  webhooks: Pick<Webhooks, "set" | "test">;
  /** Runs the forecast now; absent where no gateway runs. */
  runForecast?: () => Promise<ForecastRun>;
  /** Address under which the gateway is reached, for the links that are made. */
  baseUrl: () => string;
}

/** One thing that can be asked for, by the name of its command. */
export interface AdminOperation {
  /** The result is a JSON document with snake_case names: what the command prints with `--json`. */
  run(services: AdminServices, input: unknown): Promise<object>;
}

/** A request that cannot be done; the message is a sentence that says what to do instead. */
export class AdminError extends Error {
  override readonly name = "AdminError";
}

interface TextField {
  type: "string";
  enum?: readonly string[];
  minLength?: number;
  maxLength?: number;
}

/** Whether the schemas below are valid the compiler of TypeScript has checked. */
const ajv = new Ajv2020({ allErrors: false, validateSchema: false });

/** An operation whose arguments are texts and switches: checked before they reach `run`. Throws AdminError. */
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
      // At the first request: most gateways are never administered from outside.
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
            ? `${what} does not fit: ${message ?? "it has another shape"}.`
            : `${what} must be one of ${allowed.join(", ")}.`,
        );
      }
      return run(services, input);
    },
  };
}

/** A text field; `maxLength` bounds what a mistaken client can make the gateway keep. */
export const text = { type: "string", maxLength: 1000 } as const;
/** A text field that must not be empty. */
export const name = { ...text, minLength: 1 } as const;
