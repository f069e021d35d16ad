import type { Page, SignedInContext } from "../context.js";
import { accountPage } from "../page.js";
import { entryList } from "../ui/choices.js";
import { Form } from "../ui/form.js";
import { Languages, Layout } from "../ui/layout.js";
import { developerEntries, moreEntries, TABS } from "../ui/navigation.js";

/** The pages that lead to others: *More* and *Developers*. */
export function listPages(): Page[] {
  return [
    accountPage.get(TABS.more, (context) => ({ page: morePage(context) })),
    accountPage.get("/developers", (context) => ({
      page: (
        <Layout context={context} title={context.texts.frame.areas.developers}>
          <div class="card">{entryList(developerEntries(context))}</div>
        </Layout>
      ),
    })),
  ];
}

function morePage(context: SignedInContext) {
  const { more, frame } = context.texts;
  const groups = moreEntries(context);
  return (
    <Layout context={context} title={frame.tabs.more}>
      <div class="columns">
        {(Object.keys(more.groups) as (keyof typeof groups)[]).map((group) => (
          <section key={group} class="card" aria-labelledby={`more-${group}`}>
            <h2 id={`more-${group}`}>{more.groups[group]}</h2>
            {entryList(groups[group])}
          </section>
        ))}
      </div>
      <section class="card" aria-label={frame.language}>
        <Languages context={context} />
      </section>
      <Form context={context} action="/logout" class="card">
        <p class="muted">{context.account.email}</p>
        <button type="submit" class="button plain">
          {frame.logout}
        </button>
      </Form>
    </Layout>
  );
}
