import type { ComponentChildren } from "preact";

/**
 * What the form before this page did: a line above the bar that leaves by itself after some seconds, but stays while the pointer
 * or the focus is in it. It has room for a sentence of about 90 characters with an action, about 120 without.
 */
export function Toast({
  id,
  children,
  action,
}: {
  id?: string;
  children: ComponentChildren;
  /** A form with a button, such as that of an undo. */
  action?: ComponentChildren;
}) {
  return (
    <div id={id} class="toast" role="status">
      <p>{children}</p>
      {action}
    </div>
  );
}
