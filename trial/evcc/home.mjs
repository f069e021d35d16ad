#!/usr/bin/env node
// A simulated home that evcc reads and switches over HTTP: grid, PV, a battery that obeys evcc's modes, two wallboxes with a vehicle each.
// Signs as in evcc: grid positive on import, battery positive while discharging, PV positive.
//
//   node home.mjs [PORT]                       7171; logs each command with its time
//
//   curl 127.0.0.1:7171/state                  all of it
//   curl '127.0.0.1:7171/put?pv=500&load=900&soc=40&wb1=A'     changes it; wb1, wb2: A (no vehicle) or B
import http from "node:http";

const state = {
  load: 700,
  pv: 3000,
  soc: 55,
  capacity: 10,
  mode: 1,
  limitW: 5000,
  refuses: 0,
  in: 1234.5,
  out: 567.25,
};
const wallboxes = [1, 2].map((n) => ({ there: n === 1, enabled: false, amps: 16, soc: 35 + 30 * n, kwh: 0 }));
const log = (...what) => console.log(new Date().toISOString(), ...what);
const carW = (w) => (w.there && w.enabled ? w.amps * 690 : 0);
const balance = () => {
  const cars = wallboxes.reduce((sum, w) => sum + carW(w), 0);
  const need = state.load + cars - state.pv;
  const clip = (w) =>
    Math.max(state.soc >= 100 ? 0 : -state.limitW, Math.min(state.soc <= 0 ? 0 : state.limitW, w));
  const self = clip(need);
  const battery =
    { 1: self, 2: Math.min(0, self), 3: clip(-state.limitW), 4: Math.max(0, self) }[state.mode] ?? self;
  return { cars, battery, grid: need - battery };
};
let last = Date.now();
setInterval(() => {
  const hours = (Date.now() - last) / 3_600_000;
  last = Date.now();
  const now = balance();
  state.soc = Math.max(0, Math.min(100, state.soc - (now.battery * hours) / state.capacity / 10));
  if (now.grid > 0) state.in += (now.grid * hours) / 1000;
  else state.out -= (now.grid * hours) / 1000;
  for (const w of wallboxes) {
    w.kwh += (carW(w) * hours) / 1000;
    w.soc = Math.min(100, w.soc + (carW(w) * hours) / 600);
  }
}, 500);
http
  .createServer((call, answer) => {
    const url = new URL(call.url, "http://home");
    const [kind, a, b, c] = url.pathname.split("/").filter(Boolean);
    const now = balance();
    const say = (what) => answer.end(typeof what === "object" ? JSON.stringify(what) : String(what));
    if (kind === "state") return say({ ...state, ...now, wallboxes });
    if (kind === "put") {
      for (const [k, v] of url.searchParams) {
        if (/^wb[12]$/.test(k)) wallboxes[Number(k[2]) - 1].there = v !== "A";
        else if (k in state) state[k] = Number(v);
      }
      log("put", url.search);
      return say({ ...state, ...balance(), wallboxes });
    }
    if (kind === "grid") return say({ power: now.grid, in: state.in, out: state.out }[a]);
    if (kind === "pv") return say(state.pv);
    if (kind === "battery" && a === "mode") {
      if (state.refuses) {
        answer.statusCode = 500;
        log("battery mode", b, "refused");
        return say("refused");
      }
      state.mode = Number(b);
      log("battery mode", b);
      return say("ok");
    }
    if (kind === "battery") return say(a === "soc" ? Math.round(state.soc * 10) / 10 : now.battery);
    const w = wallboxes[Number(a) - 1];
    if (kind === "wallbox" && w) {
      if (b === "enable") {
        w.enabled = c === "true";
        log(`wallbox ${a} enable`, c);
        return say("ok");
      }
      if (b === "maxcurrent") {
        w.amps = Number(c);
        log(`wallbox ${a} maxcurrent`, c);
        return say("ok");
      }
      return say(
        {
          status: !w.there ? "A" : carW(w) > 0 ? "C" : "B",
          enabled: w.enabled,
          power: carW(w),
          energy: w.kwh,
          soc: Math.round(w.soc),
        }[b],
      );
    }
    answer.statusCode = 404;
    return say("?");
  })
  .listen(Number(process.argv[2] ?? 7171), "127.0.0.1", () => log("home at", process.argv[2] ?? 7171));
