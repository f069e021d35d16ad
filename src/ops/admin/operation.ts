import type { AccountServices } from "../../accounts/create.js";
import { SchemaCheck, type SchemaFault } from "../../config/kit/check.js";
import { allowedText } from "../../config/kit/describe.js";
import { didYouMean } from "../../config/kit/suggest.js";
import type { Site } from "../../config/site.js";
import type { ReadingService } from "../../equipment/reading/service.js";
import type { ActuatorService } from "../../equipment/service.js";
import type { TrialService } from "../../equipment/trials.js";
import type { ForecastRun } from "../../forecast/price/forecast.js";
import type { Webhooks } from "../../messages/webhooks/service.js";
import type { BillService } from "../../money/bill/bill-service.js";
import type { Ledger } from "../../money/ledger/ledger.js";
import type { MeterArchive } from "../../store/meter-archive.js";
import type { SampleArchive } from "../../store/sample-archive.js";
import { textsOf } from "../../texts/index.js";

/** Storage of meter imports, with a notification about changes. */
export interface MeterServices {
  archive: MeterArchive;
  now: () => Date;
  onChange: (siteId: string) => void;
}

/** Services used by the admin operations. */
export interface AdminServices extends AccountServices {
  webhooks: Pick<Webhooks, "set" | "test">;
  /** Runs the forecast now; absent if no gateway is running. */
  runForecast?: () => Promise<ForecastRun>;
  /** Devices that the gateway switches; absent if no gateway is running. */
  actuators?: Pick<ActuatorService, "list" | "test" | "setEnabled">;
  /** Trial runs of devices; absent if no gateway is running. */
  trials?: Pick<TrialService, "run">;
  /** Devices that the gateway reads; absent if no gateway is running. */
  devices?: Pick<ReadingService, "list" | "read" | "preview" | "settled" | "templateOf">;
  bills: Pick<BillService, "month" | "year">;
  ledger: Pick<Ledger, "days" | "details">;
  samples: Pick<SampleArchive, "portions" | "latest">;
  meter: MeterServices;
  /** Public address of the gateway, for created links. */
  baseUrl: () => string;
  /** Address of the portal where it differs from `baseUrl`, as in a fleet. */
  portalUrl?: () => string;
}

/** One command. */
export interface AdminOperation<Result extends object = object> {
  /** Returns a JSON document with snake_case names, which the command prints with `--json`. */
  run(services: AdminServices, input: unknown, signal?: AbortSignal): Promise<Result>;
}

/** A request that cannot be fulfilled; the message says what to do instead. */
export class AdminError extends Error {
  override readonly name = "AdminError";
}

/** Arguments that no data could fulfil: the command ends as with any wrong argument. */
export class ArgumentError extends AdminError {}

const MOST_NAMED = 10;

/** The site of an id, by default the first one. Throws ArgumentError. */
export function siteOf({ sites }: Pick<AdminServices, "sites">, id: string | undefined): Site {
  const list = sites.list();
  const site = id === undefined ? list[0] : sites.get(id);
  if (site !== undefined) return site;
  const known = list.slice(0, MOST_NAMED).map((one) => one.id);
  const more = list.length > MOST_NAMED ? ` and ${list.length - MOST_NAMED} more` : "";
  throw new ArgumentError(`There is no plant "${id}"; there are ${known.join(", ")}${more}.`);
}

interface TextField {
  type: "string";
  enum?: readonly string[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
}

type Required = Readonly<Record<string, TextField>>;
type Optional = Readonly<Record<string, TextField | { type: "boolean" }>>;

type ValueOf<Field> = Field extends { enum: readonly (infer Choice)[] }
  ? Choice
  : Field extends { type: "boolean" }
    ? boolean
    : string;

/** The arguments of a request with these fields. */
type InputOf<Needed, Further> = { [Name in keyof Needed]: ValueOf<Needed[Name]> } & {
  [Name in keyof Further]?: ValueOf<Further[Name]>;
};

/** An operation with text and boolean arguments, which are validated before `run`. Throws ArgumentError. */
export function adminOperation<
  Result extends object,
  const Needed extends Required = Record<never, never>,
  const Further extends Optional = Record<never, never>,
>(
  fields: { required?: Needed; optional?: Further },
  run: (services: AdminServices, input: InputOf<Needed, Further>, signal?: AbortSignal) => Promise<Result>,
): AdminOperation<Result> {
  const properties = { ...fields.required, ...fields.optional };
  const check = new SchemaCheck<InputOf<Needed, Further>>({
    type: "object",
    required: Object.keys(fields.required ?? {}),
    additionalProperties: false,
    properties,
  });
  return {
    run: async (services, input, signal) => {
      if (check.fits(input)) return run(services, input, signal);
      throw new ArgumentError(requestFault(check.faults(input)[0]!, Object.keys(properties)));
    },
  };
}

/** What is wrong with a request, without its values: one may be a password. */
function requestFault({ kind, path, node, reason }: SchemaFault, known: readonly string[]): string {
  const field = path.join(".");
  if (kind === "unknown") return `"${field}" is not an argument of this command.${didYouMean(field, known)}`;
  if (kind === "missing") return `"${field}" is missing.`;
  if (path.length === 0 || node.pattern !== undefined)
    return `${path.length === 0 ? "The request" : `"${field}"`} is not valid: ${reason}.`;
  return `"${field}" must be ${allowedText(node, textsOf("en").config)}.`;
}

/** A text field; `maxLength` bounds what a faulty client can store. */
export const textField = { type: "string", maxLength: 1000 } as const;
/** A text field that must not be empty. */
export const name = { ...textField, minLength: 1 } as const;
