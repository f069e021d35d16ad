import type { ComponentChildren } from "preact";

/** A card with its heading. */
export function Card({
  title,
  id,
  children,
}: {
  title: ComponentChildren;
  id?: string;
  children: ComponentChildren;
}) {
  return (
    <section class="card" id={id}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** A paragraph that is a link, or looks like a button. */
export const linkLine = (href: string, text: string, look?: "button" | "button plain") => (
  <p>
    <a class={look} href={href}>
      {text}
    </a>
  </p>
);

/** Texts as a list. */
export const bullets = (texts: readonly string[]) => (
  <ul>
    {texts.map((text) => (
      <li key={text}>{text}</li>
    ))}
  </ul>
);
