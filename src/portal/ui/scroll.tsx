import type { ComponentChildren } from "preact";

/** Room for a wide table: it scrolls sideways on narrow screens, also with the arrow keys. */
export function Scroll({ id, children }: { id?: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without focus the keys would not scroll it.
    <div id={id} class="scroll" tabIndex={0}>
      {children}
    </div>
  );
}
