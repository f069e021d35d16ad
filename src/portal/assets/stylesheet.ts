/**
 * The stylesheet of the layout, as text in a module, so that it exists in `src/` and in `dist/`. Colours are named by
 * purpose and meet WCAG AA (4.5:1 for text) in light and dark mode. Other stylesheets use these variables.
 */
export const STYLESHEET = `
:root {
  color-scheme: light dark;
  --page: #f6f7f6; --surface: #ffffff; --line: #c9d1cc; --text: #1a211d; --muted: #54605a;
  --accent: #0b6e4f; --on-accent: #ffffff; --link: #0a5f45; --focus: #1b5fc1;
  --good: #0b6e4f; --good-surface: #e5f4ec; --warning: #7a4b00; --warning-surface: #fdf1da;
  --bad: #a51d1d; --bad-surface: #fdeaea; --info: #1b4f8f; --info-surface: #e8f0fb;
  --price: #1b5fc1; --charge: #2a8f5c; --soc: #b8478b; --pv: #a86500; --load: #3a443f;
  --feed-in: #6793da; --stored: #4d9e76;
  --gap: 1rem; --radius: .5rem;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #121614; --surface: #1c221f; --line: #46514b; --text: #e8ede9; --muted: #a9b5ae;
    --accent: #4cc393; --on-accent: #06251a; --link: #6fd3aa; --focus: #8fbaff;
    --good: #6fd3aa; --good-surface: #12291f; --warning: #f0bd6a; --warning-surface: #2d2312;
    --bad: #ff9c9c; --bad-surface: #341717; --info: #9cc3ff; --info-surface: #152338;
    --price: #8fbaff; --charge: #2b9a61; --soc: #cf5fae; --pv: #f0bd6a; --load: #c4cec8;
    --feed-in: #5f86bd; --stored: #6fcf9f;
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 2px; }
main:focus { outline: none; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 var(--gap); }
h2 { font-size: 1.2rem; line-height: 1.3; margin: 0 0 .5rem; }
h3 { font-size: 1rem; margin: 0 0 .25rem; }
p { margin: 0 0 .75rem; max-width: 70ch; }
.skip { position: absolute; left: -100vw; padding: .5rem 1rem; background: var(--surface); }
.skip:focus { left: 0; z-index: 1; }
.top {
  display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1rem;
  padding: .6rem max(1rem, calc((100vw - 70rem) / 2)); background: var(--surface); border-bottom: 1px solid var(--line);
}
.brand { margin-right: auto; font-weight: 700; font-size: 1.15rem; text-decoration: none; color: var(--accent); }
.site-choice, .sign-out { display: flex; align-items: center; gap: .5rem; flex-wrap: wrap; }
.site-choice select { width: auto; max-width: 14rem; }
.who { color: var(--muted); overflow-wrap: anywhere; }
.languages { display: flex; gap: .75rem; list-style: none; margin: 0; padding: 0; }
.languages a[aria-current] { color: var(--text); text-decoration: none; font-weight: 600; }
.menu { background: var(--surface); border-bottom: 1px solid var(--line); }
.menu ul {
  display: flex; flex-wrap: wrap; gap: 0 .25rem; list-style: none; margin: 0;
  padding: 0 max(.5rem, calc((100vw - 71rem) / 2));
}
.menu a { display: block; padding: .6rem .75rem; text-decoration: none; border-bottom: 3px solid transparent; }
.menu a:hover { text-decoration: underline; }
.menu a[aria-current] { color: var(--text); font-weight: 600; border-bottom-color: var(--accent); }
.menu.pages { background: var(--page); font-size: .925rem; }
.menu.pages a { padding: .4rem .75rem; border-bottom-width: 2px; }
main { padding: 1.5rem max(1rem, calc((100vw - 70rem) / 2)) 3rem; }
.card {
  background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius);
  padding: var(--gap); margin: 0 0 var(--gap);
}
.card > :last-child { margin-bottom: 0; }
.narrow { max-width: 30rem; }
.columns { display: grid; gap: var(--gap); grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); align-items: start; }
.columns { margin: 0 0 var(--gap); }
.columns > * { margin: 0; }
.card > .columns + * { margin-top: var(--gap); }
.field { margin: 0 0 var(--gap); }
.field > label { display: block; font-weight: 600; margin-bottom: .2rem; }
.field.checkbox { display: grid; grid-template-columns: auto 1fr; gap: 0 .6rem; align-items: center; }
.field.checkbox > label { margin: 0; }
.field.checkbox > p { grid-column: 2; }
input:is([type=checkbox], [type=radio]) { width: 1.5rem; height: 1.5rem; margin: 0; vertical-align: middle; accent-color: var(--accent); }
.control { display: flex; align-items: center; gap: .5rem; }
.unit { color: var(--muted); white-space: nowrap; }
input:not([type=checkbox], [type=radio], [type=hidden]), select, textarea {
  font: inherit; color: inherit; background: var(--page); width: 100%; min-height: 2.6rem; padding: .4rem .6rem;
  border: 1px solid var(--muted); border-radius: .35rem;
}
.refused input, .refused select { border-color: var(--bad); border-width: 2px; }
.hint + .button { margin-top: .5rem; }
.hint { color: var(--muted); margin: .2rem 0 0; font-size: .925rem; }
p.error { color: var(--bad); font-weight: 600; margin: .2rem 0 0; }
.button {
  display: inline-block; font: inherit; font-weight: 600; min-height: 2.6rem; padding: .4rem 1rem; cursor: pointer;
  border: 1px solid var(--accent); border-radius: .35rem; background: var(--accent); color: var(--on-accent); text-decoration: none;
}
.button.plain { background: transparent; color: var(--link); border-color: var(--line); font-weight: 400; }
.button.danger { background: transparent; color: var(--bad); border-color: var(--bad); }
.button:hover { filter: brightness(1.08); text-decoration: underline; }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center; margin: 0 0 .75rem; }
.actions form { display: inline-flex; }
.notice {
  border: 1px solid currentColor; border-left-width: .4rem; border-radius: var(--radius); padding: .75rem 1rem; margin: 0 0 var(--gap);
}
.notice > :last-child { margin-bottom: 0; }
.notice ul { margin: 0; padding-left: 1.2rem; }
.notice a { color: inherit; }
.notice.info { color: var(--info); background: var(--info-surface); }
.notice.success { color: var(--good); background: var(--good-surface); }
.notice.warning { color: var(--warning); background: var(--warning-surface); }
.notice.error { color: var(--bad); background: var(--bad-surface); }
.secret {
  display: block; font: 1rem/1.4 ui-monospace, "SF Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; user-select: all;
  background: var(--page); color: var(--text); border: 1px dashed var(--muted); border-radius: .35rem; padding: .6rem; margin: 0 0 .75rem;
}
code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: .95em; overflow-wrap: anywhere; }
.help pre { overflow-x: auto; padding: .6rem; background: var(--page); border: 1px solid var(--line); border-radius: .35rem; }
.help pre code { overflow-wrap: normal; }
.help { overflow-wrap: anywhere; }
.help tr:target { background: var(--info-surface); }
.help th { white-space: normal; }
.help-list > div { margin: 0 0 .5rem; }
.hint, .help-list { overflow-wrap: anywhere; }
.help-list dd { margin: 0; color: var(--muted); }
search input { flex: 1 1 10rem; width: auto; min-width: 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; font-weight: 600; padding-bottom: .4rem; }
th, td { text-align: left; vertical-align: top; padding: .45rem .75rem .45rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--muted); font-weight: 600; white-space: nowrap; }
tbody th { color: inherit; white-space: normal; overflow-wrap: break-word; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
table.preview { width: auto; font-size: .875rem; }
table.preview td { white-space: nowrap; }
#check > form:last-child { margin-bottom: calc(2 * var(--gap)); }
.dropping { outline: 3px dashed var(--accent); outline-offset: .5rem; }
section h3 + .notice, .scroll + form { margin-top: var(--gap); }
details.card > summary { font-weight: 600; }
table.bill :is(td, th):last-child { padding-right: 0; }
table.bill td.number { white-space: nowrap; }
table.bill thead th { white-space: normal; vertical-align: bottom; }
table.bill th a { white-space: nowrap; }
table.bill tbody th { font-weight: 400; }
form.card > .columns { margin-bottom: 0; }
table.bill .group { color: var(--muted); padding-top: 1rem; font-weight: 600; }
table.bill .total :is(th, td) { font-weight: 700; border-bottom-width: 2px; }
dl.facts { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 0 0 .75rem; }
dl.facts dt { color: var(--muted); }
dl.facts dd { margin: 0; overflow-wrap: anywhere; }
.state { font-weight: 600; }
.state.ok { color: var(--good); }
.state.degraded { color: var(--warning); }
.state.down, .state.failing, .state.failed { color: var(--bad); }
.badges { display: flex; flex-wrap: wrap; gap: .5rem; }
.badge { border: 1px solid var(--warning); border-radius: 1rem; color: var(--warning); background: var(--warning-surface); padding: 0 .6rem; font-size: .925rem; }
details > summary { cursor: pointer; padding: .3rem 0; color: var(--link); }
.visually-hidden {
  position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
}
@media (max-width: 40rem) {
  .menu ul { gap: 0; }
  .menu a { white-space: nowrap; font-size: .875rem; padding: .45rem .35rem; }
  .menu.pages ul { flex-wrap: nowrap; overflow-x: auto; }
  .scroll caption { max-width: calc(100vw - 4.5rem); }
  .scroll thead th { white-space: normal; vertical-align: bottom; }
  .scroll th .hint { display: block; }
  .scroll tbody th[scope=row], .scroll tfoot th { position: sticky; left: 0; background: var(--surface); white-space: nowrap; }
  table.stacked thead { display: none; }
  table.stacked tr { display: block; padding: .6rem 0; border-bottom: 1px solid var(--line); }
  table.stacked :is(th, td) { display: flex; gap: 1rem; justify-content: space-between; border: none; padding: .15rem 0; text-align: right; }
  table.stacked th { text-align: left; overflow-wrap: anywhere; }
  table.stacked td[data-label]::before { content: attr(data-label); color: var(--muted); text-align: left; }
  table.lines thead { display: none; }
  table.lines tr { display: grid; grid-template-columns: 1fr auto; gap: 0 .75rem; padding: .35rem 0; border-bottom: 1px solid var(--line); }
  table.lines tr :is(th, td) { border: none; padding: 0; }
  table.lines td:last-child { grid-area: 1 / 2; }
  table.lines td:not(:last-child) { color: var(--muted); font-size: .9rem; grid-row: 2; }
  table.lines th + td:not(:last-child) { text-align: left; }
  dl.facts { grid-template-columns: 1fr; }
  dl.facts dd { margin-bottom: .4rem; }
  .who { display: none; }
  .top { gap: .5rem; }
  .top .button { min-height: 2.25rem; padding: .2rem .6rem; }
  .site-choice { order: 1; width: 100%; flex-wrap: nowrap; }
  .site-choice select { flex: 1; min-width: 0; max-width: none; }
}
@media print {
  .top, .menu, form, .screen-only, details { display: none; }
  main { padding: 0; }
  .card { border: none; padding: 0; }
}
`;
