#!/usr/bin/env node
// Prints an evcc.yaml for the simulated home (home.mjs). What is given on standard input, such as the texts of the page Connect → evcc, is appended.
//
//   node evcc-yaml.mjs [HOME_PORT] [EVCC_PORT] < texts > evcc.yaml      7171, 7170; EVCC_INTERVAL: cycle (5s; evcc's default is 30s)
import fs from "node:fs";

const [home = "7171", port = "7170"] = process.argv.slice(2);
const get = (where) => `{ source: http, uri: "http://127.0.0.1:${home}/${where}" }`;
const wallbox = (n) =>
  `  - { name: wb${n}, type: custom, status: ${get(`wallbox/${n}/status`)}, enabled: ${get(`wallbox/${n}/enabled`)}, enable: ${get(`wallbox/${n}/enable/\${enable}`)}, maxcurrent: ${get(`wallbox/${n}/maxcurrent/\${maxcurrent}`)}, power: ${get(`wallbox/${n}/power`)}, energy: ${get(`wallbox/${n}/energy`)} }`;
const more = process.stdin.isTTY ? "" : fs.readFileSync(0, "utf8");
console.log(`network: { port: ${port}, host: 127.0.0.1 }
log: debug
interval: ${process.env.EVCC_INTERVAL ?? "5s"}
meters:
  - { name: grid, type: custom, power: ${get("grid/power")}, energy: ${get("grid/in")}, returnenergy: ${get("grid/out")} }
  - { name: pv, type: custom, power: ${get("pv/power")} }
  - { name: battery, type: custom, power: ${get("battery/power")}, soc: ${get("battery/soc")}, capacity: 10, batterymode: ${get(`battery/mode/\${batteryMode}`)} }
chargers:
${wallbox(1)}
${wallbox(2)}
vehicles:
  - { name: car1, type: custom, title: Car1, capacity: 60, soc: ${get("wallbox/1/soc")} }
  - { name: car2, type: custom, title: Car2, capacity: 60, soc: ${get("wallbox/2/soc")} }
loadpoints:
  - { title: Garage, charger: wb1, vehicle: car1, mode: "off" }
  - { title: Carport, charger: wb2, vehicle: car2, mode: "off" }
site: { title: Home, meters: { grid: grid, pv: [pv], battery: [battery] } }
${more}`);
