import type { Entry } from "./navigation.js";

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
