import { textsOf } from "../../texts/index.js";
import type { Page, PageContext } from "../context.js";
import { publicPage } from "../page.js";
import { Layout } from "../ui/layout.js";
import { HelpLibrary } from "./library.js";

export const HELP_PATH = "/help";

/** Pages in the order of the list; those that are in no group are listed last. */
const GROUPS = {
  use: ["portal", "notifications", "tariffs", "savings", "meter-data", "windows", "glossary"],
  connect: [
    "actuators",
    "home-assistant",
    "evcc",
    "loxone",
    "node-red",
    "iobroker",
    "openhab",
    "mqtt",
    "controllers",
    "actuators/",
  ],
  operate: ["configuration", "operations", "docker", "accounts", "security"],
} as const;

/** The documentation of the gateway, offline, with a search. */
export function helpPages(library = new HelpLibrary()): Page[] {
  const article = (name: string): Page =>
    publicPage.get(`${HELP_PATH}/${name}`, (context) => ({
      page: <Article context={context} library={library} name={name} />,
    }));
  return [
    publicPage.get(HELP_PATH, (context) => ({ page: <Index context={context} library={library} /> })),
    ...library.names.map(article),
  ];
}

interface HelpProps {
  context: PageContext;
  library: HelpLibrary;
}

function Index({ context, library }: HelpProps) {
  const { help: texts } = textsOf(context.language);
  const query = context.query.get("q")?.slice(0, 200) ?? "";
  const groups = groupsOf(library.names);
  return (
    <Layout context={context} title={texts.title}>
      <Search context={context} query={query} />
      {library.names.length === 0 && <p>{texts.missing}</p>}
      {query.trim() !== "" && <Hits context={context} library={library} query={query} />}
      {Object.entries(groups).map(([group, names]) => (
        <section key={group} class="card">
          <h2>{texts.groups[group as keyof typeof groups]}</h2>
          <dl class="help-list">
            {names.map((name) => (
              <div key={name}>
                <dt>
                  <a href={`${HELP_PATH}/${name}`}>{library.title(name)}</a>
                </dt>
                {summaryOf(context, name) !== undefined && <dd>{summaryOf(context, name)}</dd>}
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Layout>
  );
}

function groupsOf(names: readonly string[]) {
  const within = (group: readonly string[]) =>
    group.flatMap((one) =>
      names.filter((name) => name === one || (one.endsWith("/") && name.startsWith(one))),
    );
  const use = within(GROUPS.use);
  const connect = within(GROUPS.connect);
  const operate = within(GROUPS.operate);
  const listed = new Set([...use, ...connect, ...operate]);
  return { use, connect, operate, further: names.filter((name) => !listed.has(name)) };
}

function summaryOf({ language }: PageContext, name: string): string | undefined {
  const summaries: Readonly<Record<string, string>> = textsOf(language).help.summaries;
  return Object.hasOwn(summaries, name) ? summaries[name] : undefined;
}

function Article({ context, library, name }: HelpProps & { name: string }) {
  const { help: texts } = textsOf(context.language);
  const summary = summaryOf(context, name);
  return (
    <Layout context={context} title={library.title(name)}>
      <p>
        <a href={HELP_PATH}>{texts.all}</a>
      </p>
      {context.language !== "en" && (
        <div class="notice info">
          {summary !== undefined && <p>{summary}</p>}
          <p>{texts.inEnglish}</p>
        </div>
      )}
      {/* Rendered from the documentation of this installation; HTML in it is escaped. */}
      <article class="card help" lang="en" dangerouslySetInnerHTML={{ __html: library.html(name) }} />
    </Layout>
  );
}

function Search({ context, query }: { context: PageContext; query: string }) {
  const { help: texts } = textsOf(context.language);
  return (
    <search>
      <form method="get" action={HELP_PATH} class="actions">
        <label for="help-search">{texts.search}</label>
        <input id="help-search" type="search" name="q" value={query} maxLength={200} />
        <button type="submit" class="button">
          {texts.find}
        </button>
      </form>
    </search>
  );
}

function Hits({ context, library, query }: HelpProps & { query: string }) {
  const { help: texts } = textsOf(context.language);
  const hits = library.search(query, { summaries: texts.summaries, terms: texts.terms() });
  return (
    <section class="card" aria-live="polite">
      <h2>{texts.found(hits.length)}</h2>
      {hits.length === 0 && <p>{texts.nothing}</p>}
      <ol>
        {hits.map(({ page, title, heading, anchor, excerpt }) => (
          <li key={`${page}#${anchor}`}>
            <a href={`${HELP_PATH}/${page}${anchor === "" ? "" : `#${anchor}`}`}>
              {heading === title ? title : `${title}: ${heading}`}
            </a>
            <p class="hint" lang="en">{`${excerpt} …`}</p>
          </li>
        ))}
      </ol>
    </section>
  );
}
