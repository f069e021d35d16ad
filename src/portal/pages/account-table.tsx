import type { AccountView } from "../../accounts/account-repository.js";
import type { SignedInContext } from "../context.js";
import { dateText, lastDayText } from "../ui/format.js";

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
      <thead>
        <tr>
          <th scope="col">{column.email}</th>
          <th scope="col">{column.plan}</th>
          <th scope="col">{column.effective}</th>
          <th scope="col">{column.until}</th>
          <th scope="col">{column.created}</th>
          <th scope="col" class="number">
            {column.sites}
          </th>
        </tr>
      </thead>
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
