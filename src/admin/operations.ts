import { forecastRunDocument } from "../documents/forecast-run.js";
import { StoreError } from "../store/errors.js";
import { accountOperations } from "./account-operations.js";
import { AdminError, type AdminOperation, type AdminServices, adminOperation } from "./operation.js";
import { isInputError, siteOperations } from "./site-operations.js";

const HORIZON_HOURS = 168;

const operations = new Map<string, AdminOperation>(
  Object.entries({
    ...accountOperations,
    ...siteOperations,
    "forecast run": adminOperation({}, async ({ runForecast }) => {
      if (runForecast === undefined)
        throw new AdminError("No gateway is running that could run its forecast.");
      const { issuedAt, hours, ...run } = await runForecast();
      return forecastRunDocument({ now: issuedAt, ...run, hours: hours.slice(0, HORIZON_HOURS) });
    }),
  }),
);

/** A request as it comes through the socket. */
export interface AdminRequest {
  command: string;
  arguments: object;
}

/** What comes back: the result, or a sentence. */
export type AdminResponse = { ok: true; result: object } | { ok: false; error: string };

/**
 * Does what one request asks for, whatever it is. Never throws: what went wrong is in the response, and what nobody could
 * have asked for wrongly goes to `onFault` too.
 */
export async function administer(
  services: AdminServices,
  request: AdminRequest,
  onFault: (error: unknown) => void,
): Promise<AdminResponse> {
  const operation = operations.get(request.command);
  if (operation === undefined) {
    return { ok: false, error: `"${request.command}" is unknown here; is this hourgate of another version?` };
  }
  try {
    return { ok: true, result: await operation.run(services, request.arguments) };
  } catch (error) {
    if (isInputError(error) || error instanceof AdminError || error instanceof StoreError) {
      return { ok: false, error: error.message };
    }
    onFault(error);
    return { ok: false, error: "This did not work; the log says more." };
  }
}
