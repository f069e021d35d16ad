import type { ComponentChildren } from "preact";
import { textsOf } from "../../texts/index.js";
import type { PageContext } from "../context.js";
import { Form, type FormProps, SubmitButton } from "./form.js";

/** A form that client/settings.js marks while it is not saved; `isTyped`: it comes back as it was typed. */
export function GuardedForm({
  context,
  isTyped,
  submit,
  buttons,
  children,
  ...form
}: FormProps & {
  context: PageContext;
  isTyped: boolean;
  /** Text of the button that saves. */
  submit: string;
  /** Beside it. */
  buttons?: ComponentChildren;
}) {
  return (
    <Form {...form} context={context} class={isTyped ? "guard typed" : "guard"}>
      <DefaultButton />
      {children}
      <div class="buttons">
        <SubmitButton>{submit}</SubmitButton>
        {buttons}
        <span class="unsaved" role="status" hidden={!isTyped}>
          {textsOf(context.language).home.unsaved}
        </span>
      </div>
    </Form>
  );
}

/** The enter key presses the first button of a form; it must save, not remove. */
export function DefaultButton() {
  return <button type="submit" class="visually-hidden" tabIndex={-1} aria-hidden="true" />;
}
