import type { AuditEntry } from "../../accounts/audit-entry.js";
import { textsOf } from "../../texts/index.js";
import type { Page, SignedInContext } from "../context.js";
import type { PortalOptions } from "../options.js";
import { dateTimeText } from "../ui/format.js";
import { Layout } from "../ui/layout.js";
import { Scroll } from "../ui/scroll.js";

/** Number of entries on the page. */
const SHOWN = 200;

/** The latest entries of the audit log: those of the account, for administrators those of all. */
export function auditPages({ audit }: PortalOptions): Page[] {
  return [
    {
      method: "GET",
      path: "/settings/audit",
      access: "account",
      handle: async (context) => {
        const { administrator, email } = context.account;
        const entries = await audit.latest(SHOWN, ({ account }) => administrator || account === email);
        return { page: auditPage(context, entries) };
      },
    },
  ];
}

function auditPage(context: SignedInContext, entries: readonly AuditEntry[]) {
  const { audit } = textsOf(context.language).security;
  return (
    <Layout context={context} title={audit.title}>
      {entries.length === 0 ? (
        <p>{audit.none}</p>
      ) : (
        <Scroll>
          <table>
            <thead>
              <tr>
                {[audit.time, audit.event, audit.account, audit.from, audit.site].map((name) => (
                  <th key={name}>{name}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {entries.map((entry, index) => (
                <tr key={`${entry.time} ${index}`}>
                  <td>{dateTimeText(new Date(entry.time), context)}</td>
                  <td>
                    {audit.events[entry.event] ?? entry.event}
                    {entry.count !== undefined && ` (${entry.count} ×)`}
                  </td>
                  <td>{entry.account}</td>
                  <td>{entry.from}</td>
                  <td>{entry.site}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </Layout>
  );
}
