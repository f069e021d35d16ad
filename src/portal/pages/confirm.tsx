import type { Page, PageContext } from "../context.js";
import type { PortalOptions } from "../options.js";
import { Layout } from "../ui/layout.js";

/** The target of the confirmation mail: creates the account, signs in and shows the key on the dashboard. */
export function confirmPages({ registration }: PortalOptions): Page[] {
  return [
    {
      method: "GET",
      path: "/confirm",
      access: "public",
      handle: async (context) => {
        // Link checkers of mail programs use HEAD; that must not use up the link.
        if (context.method === "HEAD") return { page: failedPage(context) };
        const made = await registration.confirm(context.query.get("token") ?? "");
        if (made === undefined) return { page: failedPage(context), status: 404 };
        await context.session.signIn(made.accountId);
        context.session.flash("key", made.key);
        return { redirect: "/dashboard" };
      },
    },
  ];
}

function failedPage(context: PageContext) {
  const { confirm, login, register } = context.texts;
  return (
    <Layout context={context} title={confirm.failedTitle}>
      <p>{confirm.failed}</p>
      <p>
        {confirm.signIn} <a href="/login">{login.title}</a>
      </p>
      <p>
        {confirm.again} <a href="/register">{register.title}</a>
      </p>
    </Layout>
  );
}
