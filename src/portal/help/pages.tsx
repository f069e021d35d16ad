import { textsOf } from "../../texts/index.js";
import type { Page, PageContext } from "../context.js";
import { publicPage } from "../page.js";
import { Layout } from "../ui/layout.js";
import { Card, linkLine } from "../ui/parts.js";
import { HelpLibrary, OWNER_FOLDER, ownerSections } from "./library.js";
import type { HelpHit } from "./search.js";

export const HELP_PATH = "/help";

/** Technical documents in the order of the list; those that are in no group are listed last. */
const GROUPS = {
  use: ["portal", "notifications", "tariffs", "savings", "meter-data", "windows", "glossary"],
  connect: [
    "devices",
    "devices/",
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
    ...[...library.ownerPages, ...library.documents].map(article),
  ];
}

interface HelpProps {
  context: PageContext;
  library: HelpLibrary;
}

function Index({ context, library }: HelpProps) {
  const { help: texts } = textsOf(context.language);
  const query = context.query.get("q")?.slice(0, 200) ?? "";
  return (
    <Layout context={context} title={texts.title}>
      {search(context, query)}
      {library.documents.length === 0 && <p>{texts.missing}</p>}
      {query.trim() !== "" && <Hits context={context} library={library} query={query} />}
      {library.ownerPages.length > 0 &&
        ownerSections.map(([section, pages]) => (
          <section key={section} class="card">
            <h2 id={section}>{texts.sections[section]}</h2>
            <PageList context={context} library={library} names={pages.map((page) => OWNER_FOLDER + page)} />
          </section>
        ))}
      {library.documents.length > 0 && <Documents context={context} library={library} />}
    </Layout>
  );
}

function PageList({ context, library, names }: HelpProps & { names: readonly string[] }) {
  return (
    <ul>
      {names.map((name) => (
        <li key={name}>
          <a href={`${HELP_PATH}/${name}`}>{library.title(name, context.language)}</a>
        </li>
      ))}
    </ul>
  );
}

/** The technical documents, which are in English. */
function Documents({ context, library }: HelpProps) {
  const { help: texts } = textsOf(context.language);
  const groups = groupsOf(library.documents);
  return (
    <details class="card">
      <summary>{texts.documents}</summary>
      {Object.entries(groups).map(([group, names]) => (
        <section key={group}>
          <h2>{texts.groups[group as keyof typeof groups]}</h2>
          <dl class="help-list">
            {names.map((name) => (
              <div key={name}>
                <dt>
                  <a href={`${HELP_PATH}/${name}`} lang="en">
                    {library.title(name, context.language)}
                  </a>
                </dt>
                {summaryOf(context, name) !== undefined && <dd>{summaryOf(context, name)}</dd>}
              </div>
            ))}
          </dl>
        </section>
      ))}
    </details>
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
  const section = ownerSections.find(([, pages]) => pages.some((page) => OWNER_FOLDER + page === name));
  const summary = summaryOf(context, name);
  return (
    <Layout context={context} title={`${texts.title}: ${library.title(name, context.language)}`}>
      {linkLine(HELP_PATH, texts.all)}
      {section === undefined && context.language !== "en" && (
        <div class="notice info">
          {summary !== undefined && <p>{summary}</p>}
          <p>{texts.inEnglish}</p>
        </div>
      )}
      {/* Rendered from the documentation of this installation; HTML in it is escaped. */}
      <article
        class="card help"
        lang={section === undefined ? "en" : context.language}
        dangerouslySetInnerHTML={{ __html: library.html(name, context.language) }}
      />
      {section !== undefined && (
        <Card title={texts.sections[section[0]]}>
          <PageList
            {...{ context, library }}
            names={section[1].map((page) => OWNER_FOLDER + page).filter((other) => other !== name)}
          />
        </Card>
      )}
    </Layout>
  );
}

function search(context: PageContext, query: string) {
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
  const hits = library.search(query, context.language, {
    summaries: texts.summaries,
    synonyms: texts.synonyms(),
    terms: texts.terms(),
    endings: texts.endings,
  });
  return (
    <section class="card" aria-live="polite">
      <h2>{texts.found(hits.length)}</h2>
      {hits.length === 0 && noHits(context)}
      <ol>{hits.map((hit) => hitEntry(context, hit))}</ol>
    </section>
  );
}

/** What to try when nothing is found. */
function noHits(context: PageContext) {
  const { help: texts } = textsOf(context.language);
  return (
    <>
      <p>{texts.nothing}</p>
      <p>
        {texts.tryWords}{" "}
        {texts.exampleWords.map((word, index) => (
          <>
            {index > 0 && ", "}
            <a href={`${HELP_PATH}?q=${encodeURIComponent(word)}`}>{word}</a>
          </>
        ))}
      </p>
    </>
  );
}

function hitEntry(context: PageContext, hit: HelpHit) {
  const { page, title, heading, anchor, excerpt, isForOwners } = hit;
  const { help: texts } = textsOf(context.language);
  const language = isForOwners ? context.language : "en";
  return (
    <li>
      <a href={`${HELP_PATH}/${page}${anchor === "" ? "" : `#${anchor}`}`} lang={language}>
        {heading === title ? title : `${title}: ${heading}`}
      </a>
      {!isForOwners && ` (${texts.ofDocument})`}
      <p class="hint" lang={language}>
        {excerpt}
      </p>
    </li>
  );
}
