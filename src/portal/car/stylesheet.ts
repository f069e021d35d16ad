/** The page of a car, and the confirmation of an override. */
export const CAR_STYLESHEET = `
.car { display: grid; gap: var(--space-16); grid-template-columns: minmax(0, 1fr); align-items: start; }
@media (min-width: 64rem) {
  .car { grid-template-columns: minmax(0, 1fr) 22rem; grid-template-rows: auto 1fr; }
  .car > .hero { grid-row: span 2; }
}
.car > .card { margin: 0; }
.car-name { display: flex; justify-content: space-between; align-items: center; gap: var(--space-8); margin: 0 0 var(--space-8); max-width: none; font-weight: 600; }
.badge.good { border-color: var(--good); color: var(--good); background: var(--good-surface); }
.hero .soc { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 var(--space-12); margin: 0; }
.hero .soc strong { font-size: var(--type-28); line-height: 1.2; }
.hero .soc .muted, .type-soc { font-size: var(--type-14); }
.type-soc { margin: 0 0 var(--space-16); }
.inline, .when, .change { display: flex; flex-wrap: wrap; align-items: center; gap: var(--space-8) var(--space-12); }
.inline input, .inline select, .when input, .when select, .change input { width: auto; }
.when { margin: var(--space-12) 0 var(--space-16); }
.when label { display: inline-flex; align-items: center; gap: var(--space-8); }
.live .show-cost { display: none; }
.slider-label { display: flex; justify-content: space-between; align-items: baseline; margin: 0; max-width: none; font-weight: 600; }
.slider-label output { font-size: var(--type-28); line-height: 1.2; font-variant-numeric: tabular-nums; }
.slider { position: relative; }
/* The bar is the track: its ends lie where the middle of the thumb comes to stand. */
.soc-bar { position: absolute; left: 1rem; right: 1rem; top: 1.125rem; width: calc(100% - 2rem); height: .5rem; border-radius: var(--radius-full); overflow: hidden; }
#target { position: relative; width: 100%; min-height: 2.75rem; margin: 0; padding: 0; border: 0; background: none; appearance: none; cursor: pointer; }
#target::-webkit-slider-thumb { appearance: none; width: 2rem; height: 2rem; border: 4px solid var(--surface); border-radius: var(--radius-full); background: var(--accent); box-shadow: var(--shadow-high); }
#target::-moz-range-thumb { box-sizing: border-box; width: 2rem; height: 2rem; border: 4px solid var(--surface); border-radius: var(--radius-full); background: var(--accent); box-shadow: var(--shadow-high); }
#target::-moz-range-track { background: none; }
.soc-bar .empty { fill: var(--line); } .soc-bar .wanted { fill: var(--charge); opacity: .45; } .soc-bar .stored { fill: var(--charge); }
#car-offer[aria-busy=true] { opacity: .55; }
#car-offer .cost { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 var(--space-12); margin: 0 0 var(--space-4); }
#car-offer .cost strong { font-size: var(--type-24); line-height: 1.3; font-variant-numeric: tabular-nums; }
#car-offer .instead { color: var(--muted); margin: 0; }
.night { margin: 0 0 var(--space-16); }
.night .chart-svg.plot { height: 9rem; margin-top: var(--space-40); }
@media (max-width: 40rem) { .night .chart-svg.plot { height: 7rem; } }
.night-price { fill: var(--line); } .night-charge { fill: var(--charge); }
.swatch.night-price { background: var(--line); border: 1px solid var(--muted); } .swatch.night-charge { background: var(--charge); }
.take .button { width: 100%; }
.mode-buttons { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: var(--space-8); margin: 0 0 var(--space-12); }
.mode-buttons .button { display: flex; align-items: center; justify-content: center; width: 100%; text-align: center; }
.mode-buttons .button[aria-current] { cursor: default; }
.weekdays { display: grid; grid-template-columns: repeat(auto-fill, minmax(7rem, 1fr)); gap: var(--space-8); list-style: none; margin: 0 0 var(--space-16); padding: 0; }
.weekdays label { display: block; border: 1px solid var(--line); border-radius: var(--radius-16); padding: var(--space-6) var(--space-12); }
.weekdays label:focus-within { border-color: var(--accent); }
.weekdays span { display: block; font-weight: 600; }
.weekdays input:not([type=checkbox], [type=radio], [type=hidden]) { border: 0; background: none; padding: 0; min-height: 1.75rem; }
.week .percents { display: grid; grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr)); gap: 0 var(--space-16); }
.confirm { max-width: 46rem; }
.confirm .change { margin: 0 0 var(--space-16); }
`;
