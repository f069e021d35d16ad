import { PLAN_CHART_STYLES } from "./overview-stylesheet.js";

/** Styles of the dashboard and the EMS settings; colours and measures are the tokens of portal.css. */
export const DASHBOARD_STYLESHEET = `
.headline { font-size: var(--type-24); line-height: 1.25; font-weight: 700; margin: 0 0 var(--space-8); }
.headline.charging { color: var(--good); }
.big { font-size: var(--type-20); line-height: 1.25; font-weight: 700; margin: 0 0 var(--space-4); font-variant-numeric: tabular-nums; }
.muted, .empty { color: var(--muted); }
.figures { display: grid; gap: var(--space-16); grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)); margin: 0 0 var(--space-16); }
.figures > .card { margin: 0; }
ul.readings { list-style: none; margin: 0 0 var(--space-8); padding: 0; }
.amounts { display: grid; gap: var(--space-4) var(--space-16); grid-template-columns: repeat(auto-fit, minmax(7rem, 1fr)); margin: 0 0 var(--space-8); }
.amounts dt { color: var(--muted); }
.amounts dd { margin: 0; font-size: var(--type-20); font-weight: 700; font-variant-numeric: tabular-nums; }
.amounts dd.hint { font-size: var(--type-14); font-weight: 400; }
.chart-svg { display: block; width: 100%; height: auto; }
.chart-svg text { font-size: var(--type-14); fill: var(--muted); }
.chart-svg .grid { stroke: var(--line); stroke-width: 1; }
.chart-svg polyline { fill: none; stroke-width: 2; stroke-linejoin: round; }
.chart-svg .soc { stroke: var(--soc); }
.chart-svg polyline.soc.planned { stroke-dasharray: 6 3; }
.chart-svg .column { fill: var(--good); }
.chart-svg .column.cost { fill: var(--price); }
.chart-svg .column.loss { fill: var(--bad); }
.chart-svg .faint { opacity: 0.4; }
.chart-svg g.faint { filter: grayscale(1); }
.chart-svg .tap { fill: transparent; }
.chart-svg a:is(:hover, :focus-visible) .tap { fill: var(--text); fill-opacity: 0.1; }
.chart-svg text.unknown { fill: var(--muted); }
.figures.compact { grid-template-columns: repeat(auto-fit, minmax(min(100%, 9rem), 1fr)); }
.choices-row { display: flex; flex-wrap: wrap; gap: var(--space-8); list-style: none; margin: 0 0 var(--space-12); padding: 0; }
.card > .choices-row { margin-bottom: var(--space-28); }
.choices-row a {
  display: block; padding: var(--space-6) var(--space-12); border: 1px solid var(--line); border-radius: var(--radius-full);
  background: var(--surface); text-decoration: none;
}
.choices-row a[aria-current] { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
.turn { display: flex; align-items: center; justify-content: space-between; gap: var(--space-8); margin: 0 0 var(--space-8); }
.turn h2 { margin: 0; text-align: center; }
.turn > a, .turn > span { flex: none; width: var(--space-48); padding: var(--space-8); font-size: var(--type-24); line-height: 1; text-align: center; text-decoration: none; }
.energies { list-style: none; margin: 0; padding: 0; }
.energies li { display: grid; grid-template-columns: 1fr auto; gap: var(--space-2) var(--space-12); margin: 0 0 var(--space-12); }
.energies progress { grid-column: 1 / -1; height: var(--space-12); }
.chart-svg.plot { height: 18rem; width: calc(100% - var(--space-48) - var(--space-8)); margin: var(--space-32) var(--space-8) var(--space-28) var(--space-48); }
.chart-svg.plot, .chart-svg.plot svg { overflow: visible; }
.chart-svg.plot polyline { vector-effect: non-scaling-stroke; }
@media (max-width: 40rem) { .chart-svg.plot { height: 12rem; } .chart-svg.plot .dense { display: none; } }
.energy { stroke: none; }
.energy.pv { fill: var(--pv); color: var(--pv); }
.energy.import { fill: var(--price); color: var(--price); }
.energy.discharge { fill: var(--charge); color: var(--charge); }
.energy.load { fill: var(--load); color: var(--load); }
.energy.export { fill: var(--feed-in); color: var(--feed-in); }
.energy.charge { fill: var(--stored); color: var(--stored); fill-opacity: 1; }
.swatch.energy { height: 1rem; }
.swatch.pv { color: var(--pv); }
.swatch.load { color: var(--load); }
.swatch.cost { height: 1rem; }
tr.cheapest th, tr.cheapest td { font-weight: 600; color: var(--text); }
.mark { color: var(--good); }
progress { width: 100%; height: 1rem; accent-color: var(--accent); }
.why { display: block; color: var(--muted); font-size: var(--type-14); }
.lead { font-size: var(--type-18); }
.subjects { list-style: none; margin: 0 0 var(--space-16); }
.subjects:not(.card) { padding: 0; }
.subjects li { display: grid; grid-template-columns: minmax(8rem, 14rem) 1fr; gap: 0 var(--space-16); padding: var(--space-8) 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
.subjects li:last-child { border-bottom: 0; }
.subjects li:target { background: var(--info-surface); }
.subjects .hint { margin: 0; }
.subjects .error { grid-column: 1 / -1; }
.back { margin: 0 0 var(--space-8); }
.unsaved { align-self: center; color: var(--warning); font-weight: 600; }
.unsaved[hidden] { display: none; }
.notice ul + p { margin-top: var(--space-8); }
form.undo { display: flex; flex-wrap: wrap; gap: var(--space-6) var(--space-12); align-items: center; }
.notice .button.plain { color: inherit; border-color: currentColor; }
.notice .hint { color: inherit; margin: 0; }
@media (max-width: 40rem) { .subjects li { grid-template-columns: 1fr; } }
.wizard-steps { margin: 0 0 var(--space-16); color: var(--muted); }
.wizard-steps ol { display: flex; gap: var(--space-4); list-style: none; margin: 0; padding: 0; }
.wizard-steps li { flex: 1; min-width: 0; position: relative; padding: 0 0 var(--space-20); }
.wizard-steps a { position: absolute; inset: 0; }
.wizard-steps li::before { content: ""; display: block; height: var(--space-6); border-radius: var(--radius-full); background: var(--line); }
.wizard-steps li.done::before { background: var(--good); }
.wizard-steps li.skipped::before { background: var(--muted); }
.wizard-steps li[aria-current]::before { background: var(--accent); outline: 2px solid var(--accent); }
.sentences li { display: block; padding: 0; }
.sentences li > a { display: grid; grid-template-columns: 1fr auto; gap: 0 var(--space-8); padding: var(--space-12) 0; color: var(--text); text-decoration: none; }
.sentences li > a::after { content: "›"; grid-column: 2; grid-row: 1 / 3; align-self: center; color: var(--muted); font-size: var(--type-20); }
.sentences strong { font-size: var(--type-14); font-weight: 600; color: var(--muted); }
.sentences li > a > span { grid-column: 1; }
.departure { display: grid; gap: var(--space-4); margin: 0 0 var(--space-16); }
.departure input[type=time] { max-width: 10rem; }
.pills { display: flex; flex-wrap: wrap; gap: var(--space-6); border: 0; margin: 0; padding: 0; }
.pill { display: inline-flex; align-items: center; justify-content: center; min-width: var(--space-40); min-height: var(--space-40); border: 1px solid var(--line); border-radius: var(--radius-full); font-weight: 400; position: relative; cursor: pointer; }
.pill input[type=checkbox] { position: absolute; inset: 0; width: 100%; height: 100%; opacity: 0; cursor: pointer; }
.pill:has(:checked) { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; }
.pill:has(:focus-visible) { outline: 3px solid var(--focus); outline-offset: 2px; }
form:has([name=supplier] option:checked:not([value=spot])) .only-spot { display: none; }
form:has([name=supplier] option:checked:not([value=fixed])) .only-fixed { display: none; }
form:has([name=feed_in] option:checked:not([value=fixed])) .only-fixed-feed-in { display: none; }
.fields { display: grid; gap: 0 var(--space-20); grid-template-columns: repeat(auto-fill, minmax(min(100%, 15rem), 1fr)); align-items: start; }
.fields .checkbox { align-self: center; }
fieldset.field { grid-column: 1 / -1; }
label.check { display: grid; grid-template-columns: auto 1fr; gap: 0 var(--space-8); align-items: center; font-weight: 400; padding: var(--space-2) 0; }
.fields > .field { margin-bottom: var(--space-12); }
.buttons { display: flex; flex-wrap: wrap; gap: var(--space-12); margin: var(--space-8) 0 0; }
fieldset { border: 1px solid var(--line); border-radius: var(--radius-8); padding: var(--space-8) var(--space-16) var(--space-16); margin: 0 0 var(--space-16); min-width: 0; }
legend { font-weight: 600; padding: 0 var(--space-6); }
details.row { border: 1px dashed var(--line); border-radius: var(--radius-8); padding: var(--space-6) var(--space-8); margin: 0 0 var(--space-8); }
details.row[open] { padding-bottom: var(--space-16); }
details.row > summary { font-weight: 600; }
details.row > summary .hint { font-weight: 400; }
.dot { display: inline-block; margin-right: var(--space-6); width: .75rem; height: .75rem; border-radius: var(--radius-full); border: 2px solid var(--muted); }
.dot.connected { background: var(--good); border-color: var(--good); }
.dot.silent { background: var(--warning); border-color: var(--warning); }
.dot.failed { background: var(--bad); border-color: var(--bad); }
.kinds { display: grid; gap: var(--space-8) var(--space-32); grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); list-style: none; padding: 0; margin: 0; }
#kinds li > a { font-weight: 600; }
.kinds .hint { display: block; margin: 0; }
.copied { display: grid; grid-template-columns: 1fr auto; gap: 0 var(--space-12); align-items: start; margin: 0 0 var(--space-12); }
@media (max-width: 40rem) { .copied { grid-template-columns: 1fr; gap: var(--space-6); justify-items: start; } .copied pre { width: 100%; } }
.notice p { overflow-wrap: anywhere; }
.copied > h3 { grid-column: 1 / -1; }
.copied pre { margin: 0; user-select: all; min-width: 0; }
.links { list-style: none; padding: 0; }
.links li { display: flex; flex-wrap: wrap; gap: var(--space-8); align-items: center; padding: var(--space-6) 0; border-bottom: 1px solid var(--line); }
form.override label { display: inline; margin: 0; font-weight: 400; }
form.change { display: flex; flex-wrap: wrap; gap: var(--space-8) var(--space-16); align-items: center; margin: 0 0 var(--space-16); }
form.change input { width: auto; }
form.inline { display: inline; margin-left: auto; }
.preview { border-left: 3px solid var(--line); padding-left: var(--space-12); margin: 0 0 var(--space-12); }
.preview h3 { margin: 0; font-size: var(--type-16); }
.preview .error { color: var(--bad); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--page); border: 1px solid var(--line); border-radius: var(--radius-4); padding: var(--space-8); margin: 0 0 var(--space-12); }
${PLAN_CHART_STYLES}`;
