import { BillError } from "../billing/bill-service.js";
import { billDocument } from "../documents/bill.js";
import { TariffError } from "../tariff/tariff.js";
import { AdminError, adminOperation, name } from "./operation.js";

/** Commands about bills. */
export const billOperations = {
  bill: adminOperation<{ month: string; site?: string; round_lines?: boolean }>(
    { required: { month: name }, optional: { site: name, round_lines: { type: "boolean" } } },
    async ({ bills }, { round_lines: roundLines = false, ...request }) => {
      if (bills === undefined) throw new AdminError("This gateway makes no bills.");
      try {
        return billDocument(await bills.month({ ...request, roundLines }));
      } catch (error) {
        if (error instanceof BillError || error instanceof TariffError) throw new AdminError(error.message);
        throw error;
      }
    },
  ),
};
