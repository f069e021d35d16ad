import { forecastRunDocument } from "../../api/documents/forecast-run.js";
import { StoreError } from "../../store/errors.js";
import { accountOperations } from "./account-operations.js";
import { actuatorOperations } from "./actuator-operations.js";
import { billOperations } from "./bill-operations.js";
import { deviceOperations } from "./device-operations.js";
import { meterOperations } from "./meter-operations.js";
import {
  AdminError,
  type AdminOperation,
  type AdminServices,
  ArgumentError,
  adminOperation,
  siteOf,
} from "./operation.js";
import { savingsOperations } from "./savings-operations.js";
import { isInputError, siteOperations } from "./site-operations.js";
import { tariffOperations } from "./tariff-operations.js";
import { telemetryOperations } from "./telemetry-operations.js";

const HORIZON_HOURS = 168;

const OPERATIONS = {
  ...accountOperations,
  ...siteOperations,
  ...actuatorOperations,
  ...deviceOperations,
  ...billOperations,
  ...meterOperations,
  ...tariffOperations,
  ...savingsOperations,
  ...telemetryOperations,
  "forecast run": adminOperation({}, async ({ runForecast }) => {
    if (runForecast === undefined)
      throw new AdminError("No gateway is running; start it to run the forecast.");
    const { issuedAt, hours, ...run } = await runForecast();
    return forecastRunDocument({ now: issuedAt, ...run, hours: hours.slice(0, HORIZON_HOURS) });
  }),
};

/** Names of the operations. */
export type OperationName = keyof typeof OPERATIONS;

/** The result of an operation. */
export type ResultOf<Name extends OperationName> = Awaited<ReturnType<(typeof OPERATIONS)[Name]["run"]>>;

const operations = new Map<string, AdminOperation>(Object.entries(OPERATIONS));

const READ_ONLY =
  /^(bill|savings|export history|devices (read|raw))$| (list|show)$|^tariff preview$|^telemetry /;

/** True for a command that changes nothing. */
export function isReadOnly(command: string): boolean {
  return READ_ONLY.test(command);
}

function recordCommand({ audit }: AdminServices, { command, arguments: given }: AdminRequest): void {
  const { email, site } = given as { email?: unknown; site?: unknown };
  audit.record({
    event: `command.${command.replaceAll(/[ -]/g, "_")}`,
    from: "command line",
    ...(typeof email === "string" && { account: email }),
    ...(typeof site === "string" && { site }),
  });
}

/** A request on the socket. */
export interface AdminRequest {
  command: string;
  arguments: object;
}

/** The response: the result, or an error sentence. */
export type AdminResponse =
  | { ok: true; result: object }
  /** `usage`: the arguments are wrong. */
  | { ok: false; error: string; usage?: true };

/**
 * Executes a request. Never throws: errors are in the response, and unexpected errors are also passed to `onFault`.
 * `signal`: aborted when the client has gone.
 */
export async function administer(
  services: AdminServices,
  request: AdminRequest,
  { onFault, signal }: { onFault: (error: unknown) => void; signal?: AbortSignal },
): Promise<AdminResponse> {
  const operation = operations.get(request.command);
  if (operation === undefined) {
    return {
      ok: false,
      error: `The command "${request.command}" is unknown to the running gateway; check that both have the same version.`,
    };
  }
  try {
    const { site } = request.arguments as { site?: unknown };
    if (typeof site === "string") siteOf(services, site);
    const result = await operation.run(services, request.arguments, signal);
    if (!isReadOnly(request.command)) recordCommand(services, request);
    return { ok: true, result };
  } catch (error) {
    if (isInputError(error) || error instanceof AdminError || error instanceof StoreError) {
      return { ok: false, error: error.message, ...(error instanceof ArgumentError && { usage: true }) };
    }
    onFault(error);
    return { ok: false, error: "The command failed unexpectedly; the gateway's log contains the cause." };
  }
}
