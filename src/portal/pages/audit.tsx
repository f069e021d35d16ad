import type { AuditEntry } from "../../accounts/audit-entry.js";
import { textsOf } from "../../texts/index.js";
import type { Page, SignedInContext } from "../context.js";
import type { PortalOptions } from "../options.js";
import { accountPage } from "../page.js";
import { dateTimeText } from "../ui/format.js";
import { Layout } from "../ui/layout.js";
import { DataTable } from "../ui/table.js";

/** Number of entries on the page. */
const SHOWN = 200;

/** The latest entries of the audit log: those of the account, for administrators those of all. */
export function auditPages({ audit }: PortalOptions): Page[] {
  return [
    accountPage.get("/settings/audit", async (context) => {
      const { administrator, email } = context.account;
      const entries = await audit.latest(SHOWN, ({ account }) => administrator || account === email);
      return { page: auditPage(context, entries) };
    }),
  ];
}

function auditPage(context: SignedInContext, entries: readonly AuditEntry[]) {
  const { audit } = textsOf(context.language).security;
  return (
    <Layout context={context} title={audit.title}>
      {entries.length === 0 ? (
        <p>{audit.none}</p>
      ) : (
        <DataTable
          rows={entries}
          columns={(col) => [
            col.text(audit.time, ({ time }) => dateTimeText(new Date(time), context)),
            col.text(audit.event, ({ event, count }) => {
              const name = audit.events[event] ?? event;
              return count === undefined ? name : `${name} (${count} ×)`;
            }),
            col.text(audit.account, ({ account }) => account),
            col.text(audit.from, ({ from }) => from),
            col.text(audit.site, ({ site }) => site),
          ]}
        />
      )}
    </Layout>
  );
}
