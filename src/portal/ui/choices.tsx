import type { Entry } from "./navigation.js";

/** Links in a row of which one is the present; `current` says whether that is this page, or what it shows. */
export function choicesRow(
  label: string,
  choices: readonly { href: string; text: string; isCurrent?: boolean }[],
  current: "page" | "true" = "true",
) {
  return (
    <ul class="choices-row" aria-label={label}>
      {choices.map(({ href, text, isCurrent = false }) => (
        <li key={href}>
          <a href={href} aria-current={isCurrent ? current : undefined}>
            {text}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Links to pages, a row each. */
export function entryList(entries: readonly Entry[]) {
  return (
    <ul class="entries">
      {entries.map(({ path, label }) => (
        <li key={path}>
          <a href={path}>
            <span>{label}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
