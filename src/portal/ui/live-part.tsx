import { createHash } from "node:crypto";
import type { VNode } from "preact";
import { render } from "preact-render-to-string";

interface LivePartProps {
  id: string;
  class?: string;
  /** Names the part to screen readers. */
  label?: string;
  /** What changes in it is read out. */
  isSpoken?: boolean;
  children: VNode;
}

/** A part of a page that its script writes anew when it has changed; the version says which one the page has. */
export function LivePart({ id, class: name, label, isSpoken = false, children }: LivePartProps) {
  const html = render(children);
  return (
    <section
      id={id}
      class={name}
      aria-label={label}
      aria-live={isSpoken ? "polite" : undefined}
      data-version={partVersion(html)}
      // Rendered above by the components of the page, so it is escaped.
      dangerouslySetInnerHTML={{ __html: html }}
    />
  );
}

/** The version of a part by its HTML. */
export function partVersion(html: string): string {
  return createHash("sha256").update(html).digest("base64url").slice(0, 8);
}
