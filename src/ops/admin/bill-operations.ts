import { billDocument, yearBillDocument } from "../../api/documents/bill.js";
import { BillError } from "../../money/bill/bill-service.js";
import { TariffError } from "../../tariff/tariff.js";
import { AdminError, ArgumentError, adminOperation, name } from "./operation.js";

/** Commands about bills. */
export const billOperations = {
  bill: adminOperation(
    {
      optional: {
        month: name,
        year: name,
        site: name,
        round_lines: { type: "boolean" },
        exact: { type: "boolean" },
      },
    },
    async ({ bills }, { exact = false, round_lines: _, month, year, ...asked }) => {
      const request = { ...asked, roundLines: !exact };
      try {
        if (year !== undefined) return yearBillDocument(await bills.year({ ...request, year }));
        if (month === undefined) throw new ArgumentError("A month or a year must be given.");
        return billDocument(await bills.month({ ...request, month }));
      } catch (error) {
        if (error instanceof BillError && error.code === "wrong_month")
          throw new ArgumentError(error.message);
        if (error instanceof BillError || error instanceof TariffError) throw new AdminError(error.message);
        throw error;
      }
    },
  ),
};
