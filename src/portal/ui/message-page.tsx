import type { PageContext } from "../context.js";
import { Layout } from "./layout.js";

/** A page that says something and leads on: paragraphs, one with a link at its end as `[text, address, link]`. */
export function messagePage(
  context: PageContext,
  title: string,
  paragraphs: readonly (string | readonly [text: string, href: string, link: string])[],
) {
  return (
    <Layout context={context} title={title}>
      {paragraphs.map((paragraph) => {
        if (typeof paragraph === "string") return <p key={paragraph}>{paragraph}</p>;
        const [text, href, link] = paragraph;
        return (
          <p key={href}>
            {text === "" ? "" : `${text} `}
            <a href={href}>{link}</a>
          </p>
        );
      })}
    </Layout>
  );
}
