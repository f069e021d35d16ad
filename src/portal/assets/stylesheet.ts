import { FRAME } from "./frame.js";
import { TABLES } from "./tables.js";
import { TOKENS } from "./tokens.js";

/** The stylesheet of all pages, as text in a module, so that it exists in `src/` and in `dist/`. */
export const STYLESHEET = `${TOKENS}
*, *::before, *::after { box-sizing: border-box; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: var(--radius-2); }
h1 { font-size: var(--type-24); line-height: 1.2; margin: 0 0 var(--space-16); }
h2 { font-size: var(--type-20); line-height: 1.3; margin: 0 0 var(--space-8); }
h3, h4 { font-size: var(--type-16); margin: 0 0 var(--space-4); }
h5, h6, small { font-size: var(--type-14); }
button, input { font: inherit; }
p { margin: 0 0 var(--space-12); max-width: 70ch; }
.card {
  background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius-8);
  padding: var(--space-16); margin: 0 0 var(--space-16);
}
.card > :last-child { margin-bottom: 0; }
form + .card, section:not(.card) + section:not(.card) > h2 { margin-top: var(--space-20); }
.narrow { max-width: 30rem; }
.columns { display: grid; gap: var(--space-16); grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); align-items: start; }
.columns { margin: 0 0 var(--space-16); }
.columns > * { margin: 0; }
.card > .columns + * { margin-top: var(--space-16); }
.field { margin: 0 0 var(--space-16); }
.field > label { display: block; font-weight: 600; margin-bottom: var(--space-4); }
.field.checkbox { display: grid; grid-template-columns: auto 1fr; gap: 0 var(--space-8); align-items: center; }
.field.checkbox > label { margin: 0; }
.field.checkbox > p { grid-column: 2; }
input:is([type=checkbox], [type=radio]) { width: 1.5rem; height: 1.5rem; margin: 0; vertical-align: middle; accent-color: var(--accent); }
.control { display: flex; align-items: center; gap: var(--space-8); }
.unit { color: var(--muted); white-space: nowrap; }
input:not([type=checkbox], [type=radio], [type=hidden]), select, textarea {
  font: inherit; color: inherit; background: var(--page); width: 100%; min-height: 2.75rem; padding: var(--space-6) var(--space-8);
  border: 1px solid var(--muted); border-radius: var(--radius-4);
}
.refused input, .refused select { border-color: var(--bad); border-width: 2px; }
.hint + .button { margin-top: var(--space-8); }
.hint { color: var(--muted); margin: var(--space-4) 0 0; font-size: var(--type-14); }
p.error { color: var(--bad); font-weight: 600; margin: var(--space-4) 0 0; }
.button {
  display: inline-flex; align-items: center; justify-content: center; font: inherit; font-weight: 600; min-height: 2.75rem; padding: var(--space-6) var(--space-16); cursor: pointer;
  border: 1px solid var(--accent); border-radius: var(--radius-4); background: var(--accent); color: var(--on-accent); text-decoration: none;
}
.button.plain { background: transparent; color: var(--link); border-color: var(--line); font-weight: 400; }
.button.danger { background: transparent; color: var(--bad); border-color: var(--bad); }
.button:hover { filter: brightness(1.08); text-decoration: underline; }
form:not([class]) > .button + .button { margin-left: var(--space-8); }
.actions { display: flex; flex-wrap: wrap; gap: var(--space-12); align-items: center; margin: 0 0 var(--space-12); }
.actions form { display: inline-flex; }
.notice {
  border: 1px solid currentColor; border-left-width: 6px; border-radius: var(--radius-8); padding: var(--space-12) var(--space-16); margin: 0 0 var(--space-16);
}
.notice > :last-child { margin-bottom: 0; }
.notice ul { margin: 0; padding-left: var(--space-20); }
.notice a { color: inherit; }
.notice.info { color: var(--info); background: var(--info-surface); }
.notice.success { color: var(--good); background: var(--good-surface); }
.notice.warning { color: var(--warning); background: var(--warning-surface); }
.notice.error { color: var(--bad); background: var(--bad-surface); }
.secret {
  display: block; font: var(--type-16)/1.4 var(--mono); overflow-wrap: anywhere; user-select: all;
  background: var(--page); color: var(--text); border: 1px dashed var(--muted); border-radius: var(--radius-4); padding: var(--space-8); margin: 0 0 var(--space-12);
}
pre, code { font-family: var(--mono); font-size: inherit; overflow-wrap: anywhere; }
.help pre { overflow-x: auto; padding: var(--space-8); background: var(--page); border: 1px solid var(--line); border-radius: var(--radius-4); }
.help pre code { overflow-wrap: normal; }
.help { overflow-wrap: anywhere; }
.help tr:target { background: var(--info-surface); }
.help th { white-space: normal; }
.help-list > div { margin: 0 0 var(--space-8); }
.hint, .help-list { overflow-wrap: anywhere; }
.help-list dd { margin: 0; color: var(--muted); }
search input { flex: 1 1 10rem; width: auto; min-width: 0; }
#check > form:last-child { margin-bottom: var(--space-32); }
.dropping { outline: 3px dashed var(--accent); outline-offset: 8px; }
section h3 + .notice, .table + form { margin-top: var(--space-16); }
details.card > summary { font-weight: 600; }
form.card > .columns { margin-bottom: 0; }
dl.facts { display: grid; grid-template-columns: max-content 1fr; gap: var(--space-4) var(--space-16); margin: 0 0 var(--space-12); }
dl.facts dt { color: var(--muted); }
dl.facts dd { margin: 0; overflow-wrap: anywhere; }
.state { font-weight: 600; }
.state.ok { color: var(--good); }
.state.degraded { color: var(--warning); }
.state.down, .state.failing, .state.failed { color: var(--bad); }
.badges { display: flex; flex-wrap: wrap; gap: var(--space-8); }
.badge { border: 1px solid var(--warning); border-radius: var(--radius-full); color: var(--warning); background: var(--warning-surface); padding: 0 var(--space-8); font-size: var(--type-14); }
details > summary { cursor: pointer; padding: var(--space-4) 0; color: var(--link); }
.visually-hidden {
  position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
}
@media (max-width: 40rem) {
  dl.facts { grid-template-columns: 1fr; }
  dl.facts dd { margin-bottom: var(--space-6); }
}
${TABLES}${FRAME}`;
