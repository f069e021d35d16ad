/** The frame of a page: the bar with the four areas, on large screens a rail at the left; what lies above the page. */
export const FRAME = `
html { -webkit-text-size-adjust: 100%; scroll-padding-bottom: calc(var(--bar) + var(--space-16)); }
body { margin: 0; background: var(--page); color: var(--text); font: var(--type-16)/1.5 var(--font); }
main { max-width: 70rem; margin: 0 auto; padding: var(--space-16) var(--space-16) var(--space-48); }
main:focus { outline: none; }
.skip { position: absolute; left: -100vw; padding: var(--space-8) var(--space-16); background: var(--surface); }
.skip:focus { left: 0; z-index: 3; }
.top {
  display: flex; flex-wrap: wrap; align-items: center; gap: var(--space-8) var(--space-16);
  padding: var(--space-8) var(--space-16); background: var(--surface); border-bottom: 1px solid var(--line);
}
.brand { font-weight: 700; font-size: var(--type-18); text-decoration: none; color: var(--accent); }
.top .brand { margin-right: auto; }
.site-choice { display: flex; align-items: center; gap: var(--space-8); flex: 1; min-width: 0; }
.site-choice select { flex: 1; width: auto; min-width: 0; max-width: 20rem; }
.languages { display: flex; gap: var(--space-16); list-style: none; margin: 0; padding: 0; }
.languages a[aria-current] { color: var(--text); text-decoration: none; font-weight: 600; }
body.framed { padding-bottom: calc(var(--bar) + env(safe-area-inset-bottom)); }
.bar {
  position: fixed; inset: auto 0 0; z-index: 2; background: var(--surface); border-top: 1px solid var(--line);
  padding-bottom: env(safe-area-inset-bottom);
}
.bar .brand { display: none; }
.bar ul { display: grid; grid-template-columns: repeat(4, 1fr); max-width: 40rem; margin: 0 auto; padding: 0; list-style: none; }
.bar a {
  display: flex; flex-direction: column; gap: var(--space-2); align-items: center; justify-content: center;
  height: var(--bar); color: var(--muted); font-size: var(--type-12); text-decoration: none;
}
.bar a[aria-current] { color: var(--accent); font-weight: 600; }
.bar a:hover span { text-decoration: underline; }
.bar a:focus-visible { outline-offset: -4px; }
.bar svg { width: 1.5rem; height: 1.5rem; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
@media (min-width: 64rem) {
  html { scroll-padding-bottom: 0; }
  main { padding: var(--space-24) var(--space-32) var(--space-48); }
  body.framed { padding: 0 0 0 var(--rail); }
  body.framed .top { padding: var(--space-8) var(--space-32); }
  .bar { inset: 0 auto 0 0; width: var(--rail); border: 0; border-right: 1px solid var(--line); padding: var(--space-24) var(--space-12); }
  .framed .toast { bottom: var(--space-24); left: calc(var(--rail) + var(--space-32)); }
  .bar .brand { display: block; margin: 0 var(--space-12) var(--space-16); }
  .bar ul { grid-template-columns: 1fr; gap: var(--space-4); }
  .bar a { flex-direction: row; justify-content: start; gap: var(--space-12); height: 3rem; padding: 0 var(--space-12); border-radius: var(--radius-8); font-size: var(--type-16); }
  .bar a[aria-current] { background: var(--good-surface); }
}
.toast {
  position: fixed; inset: auto var(--space-16) calc(var(--space-8) + env(safe-area-inset-bottom)); z-index: 2; display: flex; align-items: center;
  gap: var(--space-12); width: fit-content; max-width: 40rem; max-height: 4rem; margin: 0 auto; padding: var(--space-6) var(--space-16);
  border-radius: var(--radius-8); background: var(--toast); color: var(--on-toast); box-shadow: var(--shadow-high);
  font-size: var(--type-14); line-height: 1.2; animation: leave .4s 8s forwards;
}
.framed .toast { bottom: calc(var(--bar) + var(--space-8) + env(safe-area-inset-bottom)); }
.toast:is(:hover, :focus-within) { animation-play-state: paused; }
.toast p { margin: 0; overflow-wrap: anywhere; }
.toast .button { color: inherit; border-color: currentColor; min-height: 2.5rem; padding: 0 var(--space-12); font-size: inherit; }
@keyframes leave { to { opacity: 0; visibility: hidden; } }
.entries { list-style: none; margin: 0; padding: 0; }
.entries a {
  display: flex; align-items: center; justify-content: space-between; gap: var(--space-12); width: 100%; min-height: 3rem;
  padding: var(--space-8) 0; border-bottom: 1px solid var(--line); color: var(--text); text-decoration: none;
}
.entries li:last-child a { border-bottom: 0; }
.entries a::after { content: "›"; color: var(--muted); font-size: var(--type-20); line-height: 1; }
.entries a:hover span { text-decoration: underline; }
@media print {
  .top, .bar, .toast, form, .screen-only, details { display: none; }
  body.framed, main { padding: 0; }
  .card { border: none; padding: 0; }
}
`;
