import type { ComponentChildren } from "preact";
import { FormButton, type FormProps, SubmitButton, type SubmitButtonProps } from "./form.js";

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

type ButtonLook = "button" | "button plain" | "button danger";

/** A link that looks like a button. */
export const linkButton = (href: string, text: string, look: ButtonLook = "button") => (
  <a class={look} href={href}>
    {text}
  </a>
);

/** A button of a form that says which it is. */
export const submitButton = (text: string, more: Omit<SubmitButtonProps, "children">) => (
  <SubmitButton {...more}>{text}</SubmitButton>
);

/** A form that is one button. */
export const formButton = (
  context: FormProps["context"],
  action: string,
  text: string,
  more: Omit<FormProps, "context" | "action" | "children"> & Pick<SubmitButtonProps, "kind"> = {},
) => <FormButton {...{ context, action }} {...more} children={text} />;
