import type { AccountView } from "../../accounts/account-repository.js";
import type { SignedInContext } from "../context.js";
import { dateText, lastDayText } from "../ui/format.js";
import { TableHead } from "../ui/table-head.js";

interface AccountTableProps {
  context: SignedInContext;
  accounts: readonly { account: AccountView; siteCount: number }[];
}

/** All accounts, with the plan that was given and the one that is in force. */
export function AccountTable({ context, accounts }: AccountTableProps) {
  const { admin } = context.texts;
  const { column, plans } = admin;
  return (
    <table>
      <TableHead
        columns={[
          column.email,
          column.plan,
          column.effective,
          column.until,
          column.created,
          { number: column.sites },
        ]}
      />
      <tbody>
        {accounts.map(({ account, siteCount }) => {
          const end = account.effectivePlan === "trial" ? account.trial?.endsAt : account.paidUntil;
          return (
            <tr key={account.id}>
              <th scope="row">
                {account.email}
                {account.administrator && ` (${admin.administrator})`}
              </th>
              <td>{plans[account.plan]}</td>
              <td>{plans[account.effectivePlan]}</td>
              <td>{end === undefined ? "–" : lastDayText(end, context)}</td>
              <td>{dateText(account.createdAt, context)}</td>
              <td class="number">{siteCount}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
