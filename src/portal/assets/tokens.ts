/**
 * The measures and colours of the portal, as custom properties. Stylesheets use nothing else for sizes of type, radii,
 * shadows, distances and colours; the name of a measure is its size in px at the browser's default size of type. Colours are
 * named by role and meet WCAG AA (4.5:1 for text, 3:1 for marks) on `--page` and `--surface`, light and dark.
 */
export const TOKENS = `
:root {
  color-scheme: light dark;
  --type-12: .75rem; --type-14: .875rem; --type-16: 1rem; --type-18: 1.125rem;
  --type-20: 1.25rem; --type-24: 1.5rem; --type-28: 1.75rem;
  --space-2: .125rem; --space-4: .25rem; --space-6: .375rem; --space-8: .5rem; --space-12: .75rem; --space-16: 1rem;
  --space-20: 1.25rem; --space-24: 1.5rem; --space-28: 1.75rem; --space-32: 2rem; --space-40: 2.5rem; --space-48: 3rem;
  --space-64: 4rem;
  --radius-2: 2px; --radius-4: 4px; --radius-8: 8px; --radius-16: 16px; --radius-full: 999px;
  --shadow-low: 0 1px 2px rgb(0 0 0 / .12); --shadow-high: 0 4px 16px rgb(0 0 0 / .24);
  --font: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  --mono: ui-monospace, "SF Mono", Menlo, Consolas, monospace;
  /* Height of the bar at the bottom, width of the rail on large screens. */
  --bar: 4rem; --rail: 220px;

  --page: #f6f7f6; --surface: #ffffff; --line: #c9d1cc; --text: #1a211d; --muted: #54605a;
  --accent: #0b6e4f; --on-accent: #ffffff; --link: #0a5f45; --focus: #1b5fc1;
  --good: #0b6e4f; --good-surface: #e5f4ec; --warning: #7a4b00; --warning-surface: #fdf1da;
  --bad: #a51d1d; --bad-surface: #fdeaea; --info: #1b4f8f; --info-surface: #e8f0fb;
  /* Lines over the page that leave by themselves. */
  --toast: #1a211d; --on-toast: #ffffff;
  /* What flows: the same in flow, charts and legends. */
  --price: #1b5fc1; --charge: #2a8f5c; --soc: #b8478b; --pv: #a86500; --load: #3a443f; --feed-in: #6793da; --stored: #4d9e76;
  /* Prices by their rank within the day, from cheap to expensive. */
  --level1: #1b5fc1; --level2: #5595cd; --level3: #bf8526; --level4: #8f3208;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #121614; --surface: #1c221f; --line: #46514b; --text: #e8ede9; --muted: #a9b5ae;
    --accent: #4cc393; --on-accent: #06251a; --link: #6fd3aa; --focus: #8fbaff;
    --good: #6fd3aa; --good-surface: #12291f; --warning: #f0bd6a; --warning-surface: #2d2312;
    --bad: #ff9c9c; --bad-surface: #341717; --info: #9cc3ff; --info-surface: #152338;
    --toast: #e8ede9; --on-toast: #121614;
    --price: #8fbaff; --charge: #2b9a61; --soc: #cf5fae; --pv: #f0bd6a; --load: #c4cec8; --feed-in: #5f86bd; --stored: #6fcf9f;
    --level1: #9cc3ff; --level2: #4a7fb5; --level3: #a8742f; --level4: #ffa861;
  }
}
`;
