/** Styles of prices, runs and curves in the chart; part of dashboard.css, which all pages load. */
export const PLAN_CHART_STYLES = `
#chart { border-radius: var(--radius-8); }
.plan-chart { display: block; height: 15rem; width: calc(100% - 5rem); margin: var(--space-28) var(--space-40) var(--space-28); overflow: visible; touch-action: pan-y; }
.plan-chart > svg { overflow: visible; }
.plan-chart text { font-size: var(--type-12); fill: var(--muted); }
.plan-chart text.soc { fill: var(--soc); stroke: none; }
.plan-chart text.now { fill: var(--text); font-weight: 700; }
.plan-chart .grid { stroke: var(--line); stroke-width: 1; }
.plan-chart .zero, .plan-chart .day .grid { stroke: var(--muted); }
.plan-chart .hour .grid { stroke: none; }
.plan-chart polyline { fill: none; stroke: var(--soc); stroke-width: 2.5; stroke-linejoin: round; vector-effect: non-scaling-stroke; }
.plan-chart polyline.planned { stroke-dasharray: 5 4; }
.plan-chart line.now { stroke: var(--text); stroke-width: 2; }
.plan-chart line.chosen.on { stroke: var(--focus); stroke-width: 2; }
.plan-chart .hit { fill: transparent; stroke: none; }
.price { stroke: none; fill-opacity: .8; }
.price.usual { fill: var(--feed-in); color: var(--feed-in); }
.price.cheap { fill: var(--charge); color: var(--charge); }
.price.dear { fill: var(--level4); color: var(--level4); }
path.price.forecast { fill-opacity: .45; }
.area { stroke: none; fill-opacity: .3; }
.area.sun { fill: var(--pv); color: var(--pv); }
.area.use { fill: var(--load); color: var(--load); fill-opacity: .18; }
.edge { fill: none; stroke-width: 1.25; vector-effect: non-scaling-stroke; }
.edge.sun { stroke: var(--pv); }
.edge.use { stroke: var(--load); stroke-opacity: .7; }
.run rect { stroke: var(--surface); stroke-width: 1.5; }
.run.battery { fill: var(--soc); color: var(--soc); }
.run.wallbox { fill: var(--focus); color: var(--focus); }
.run.boiler { fill: var(--bad); color: var(--bad); }
.run.heat_pump { fill: var(--accent); color: var(--accent); }
.run.other { fill: var(--load); color: var(--load); }
.legend { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-12); list-style: none; margin: 0 0 var(--space-8); padding: 0; font-size: var(--type-12); }
.legend li { display: flex; align-items: center; gap: var(--space-4); white-space: nowrap; }
.swatch { width: 14px; height: 10px; border-radius: var(--radius-2); background: currentColor; }
.swatch.soc { height: 3px; color: var(--soc); }
.swatch.planned { background: repeating-linear-gradient(90deg, currentColor 0 5px, transparent 5px 9px); }
.swatch.forecast { color: var(--feed-in); opacity: .55; }
.swatch.area { opacity: .5; }
.swatch.run { height: 8px; border-radius: var(--radius-full); }
.readout { min-height: 4.5rem; margin: 0 0 var(--space-8); padding: var(--space-8) var(--space-12); font-size: var(--type-14); border-radius: var(--radius-8); background: var(--page); max-width: none; }
@media (max-width: 40rem) {
  .plan-chart { height: 12rem; }
  .plan-chart .dense { display: none; }
  .readout { min-height: 6rem; }
}
`;

/** Styles of the overview; colours and measures are the tokens of portal.css. */
export const OVERVIEW_STYLESHEET = `
.overview { display: grid; gap: var(--space-12); grid-template-columns: minmax(0, 1fr); }
.overview > * { margin: 0; min-width: 0; }
.overview > :empty { display: none; }
.overview h2 { font-size: var(--type-18); margin: 0; }
.overview .card { padding: var(--space-12) var(--space-16); }
.overview > #flow { padding: var(--space-12) var(--space-4); }
#flow .hint { margin: var(--space-4) var(--space-12); }
main > h1 { font-size: var(--type-20); margin: 0 0 var(--space-8); }
.alert { border: 1px solid var(--warning); border-radius: var(--radius-8); color: var(--warning); background: var(--warning-surface); font-size: var(--type-14); }
.alert > summary { padding: var(--space-8) var(--space-12); line-height: 1.35; font-weight: 600; color: inherit; }
.alert > div { padding: 0 var(--space-12) var(--space-8); }
.alert h2 { font-size: var(--type-14); }
.alert a { color: inherit; }
.saved { display: block; color: inherit; text-decoration: none; line-height: 1.3; }
.saved strong { font-size: var(--type-28); line-height: 1.2; font-variant-numeric: tabular-nums; }
.saved span { color: var(--muted); font-size: var(--type-18); font-variant-numeric: tabular-nums; }
.saved:hover strong { text-decoration: underline; }
@media (max-width: 40rem) { .saved :is(strong, span) { display: block; } .saved .between { display: none; } }
.saved-none { margin: 0; }
.flow { display: block; width: 100%; max-width: 26rem; height: auto; margin: 0 auto; overflow: visible; }
.flow text { font-size: var(--type-14); fill: var(--muted); text-anchor: middle; paint-order: stroke; stroke: var(--surface); stroke-width: 4px; stroke-linejoin: round; font-variant-numeric: tabular-nums; }
.flow .beside { text-anchor: start; }
.flow .value { font-size: var(--type-16); }
.flow .unit { font-size: var(--type-14); font-weight: 400; }
.flow .name, .flow .value, .flow .soc { fill: var(--text); font-weight: 600; }
.flow .value, .flow .soc { stroke: none; }
.flow circle { fill: var(--surface); stroke: currentColor; stroke-width: 2.5; }
.flow circle.ring { fill: none; }
.flow .level { fill: currentColor; fill-opacity: .22; }
.flow .icon, svg.icon .icon { fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
.flow .pv { color: var(--pv); }
.flow .grid { color: var(--price); }
.flow .home { color: var(--load); }
.flow .battery { color: var(--soc); }
.flow :is(.wallbox, .boiler, .heat_pump, .other) { color: var(--charge); }
.flow .node:focus-visible circle { stroke: var(--focus); stroke-width: 4; }
.flow .node:hover .name { text-decoration: underline; }
.flow .stale circle { stroke: var(--line); stroke-dasharray: 4 3; }
.flow .stale :is(.value, .soc) { fill: var(--muted); }
.flow-line { stroke: var(--line); }
.flow-line.on line { stroke: currentColor; stroke-opacity: .35; }
.flow-line.on .dots { stroke-opacity: 1; stroke-linecap: round; stroke-dasharray: 0 16; animation: along 1.2s linear infinite; }
.flow-line.on .slow { animation-duration: 2.4s; }
.flow-line.on .fast { animation-duration: .7s; }
@keyframes along { from { stroke-dashoffset: 16; } to { stroke-dashoffset: 0; } }
.flow-line .way { display: none; fill: currentColor; stroke: var(--surface); stroke-width: 1.5; }
@media (prefers-reduced-motion: reduce) { .flow-line.on .dots { animation: none; } .flow-line .way { display: inline; } }
.headline { font-size: var(--type-18); line-height: 1.35; margin: 0; }
#details > summary { font-size: var(--type-14); }
#details p { font-size: var(--type-14); margin: 0 0 var(--space-8); }
.chart-head { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: var(--space-8); }
.segments { display: flex; list-style: none; margin: 0; padding: var(--space-2); border-radius: var(--radius-8); background: var(--page); border: 1px solid var(--line); }
.segments a { display: block; padding: var(--space-4) var(--space-12); border-radius: var(--radius-4); color: var(--muted); text-decoration: none; font-size: var(--type-14); }
.segments a[aria-current] { background: var(--surface); color: var(--text); font-weight: 600; box-shadow: var(--shadow-low); }
.device-cards { display: grid; gap: var(--space-12); grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); margin-top: var(--space-8); }
.device-card { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius-8); padding: var(--space-12) var(--space-16); }
.device-card h3 { display: flex; align-items: center; gap: var(--space-8); margin: 0 0 var(--space-4); font-size: var(--type-16); }
.device-card h3 a { color: inherit; text-decoration: none; }
.device-card h3 a::after { content: " ›"; color: var(--muted); }
.device-card h3 .muted { margin-left: auto; font-weight: 400; font-size: var(--type-14); }
.device-card p { margin: 0 0 var(--space-2); font-variant-numeric: tabular-nums; }
svg.icon { width: 1.5rem; height: 1.5rem; flex: none; }
.overrides { display: flex; flex-wrap: wrap; gap: var(--space-8); align-items: center; margin-top: var(--space-8); padding-top: var(--space-4); }
form.override { display: flex; flex-wrap: wrap; gap: var(--space-8); align-items: center; margin: 0; }
form.override input { width: auto; }
.overrides .button { font-size: var(--type-14); padding: var(--space-6) var(--space-12); }
table :is(th, td) { font-size: var(--type-14); }
@media (min-width: 64rem) {
  .overview { grid-template-columns: minmax(0, 24rem) minmax(0, 1fr); grid-auto-flow: row dense; gap: var(--space-16); }
  .overview > * { grid-column: 1 / -1; }
  .overview > :is(#flow, #headline) { grid-column: 1; }
  .overview > #plot { grid-column: 2; grid-row: span 2; }
  .overview > .card { padding: var(--space-16) var(--space-20); }
}
`;
