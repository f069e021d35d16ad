import type { Page, PageContext } from "../context.js";
import { publicPage } from "../page.js";
import { FormButton } from "../ui/form.js";
import { Layout } from "../ui/layout.js";

/** Sign-out. GET only shows a form: any foreign page can make a browser fetch a URL. */
export function logoutPages(): Page[] {
  const path = "/logout";
  return [
    publicPage.get(path, (context) =>
      context.account === undefined ? { redirect: "/login" } : { page: logoutPage(context) },
    ),
    publicPage.post(path, {}, async (context) => {
      await context.session.signOut();
      return { redirect: "/login" };
    }),
  ];
}

function logoutPage(context: PageContext) {
  const { logout } = context.texts;
  return (
    <Layout context={context} title={logout.title}>
      <p>{logout.question}</p>
      <FormButton context={context} action="/logout">
        {logout.submit}
      </FormButton>
    </Layout>
  );
}
