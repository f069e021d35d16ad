import { readdirSync, readFileSync } from "node:fs";
import { codePath } from "../../core/installation.js";
import type { Asset } from "../assets/assets.js";
import { CAR_STYLESHEET } from "../car/stylesheet.js";
import { OVERVIEW_STYLESHEET } from "./overview-stylesheet.js";
import { DASHBOARD_STYLESHEET } from "./stylesheet.js";

const SCRIPT = "text/javascript; charset=utf-8";
const CSS = "text/css; charset=utf-8";

/**
 * Files that the dashboard loads: the modules in `client/` (plain JavaScript with types in comments, identical in the
 * source and in the build) and a stylesheet. Throws an Error if the installation is incomplete.
 */
export function dashboardAssets(): Asset[] {
  const folder = codePath("portal/client/");
  const own = readdirSync(folder).filter((name) => name.endsWith(".js"));
  return [
    ...own.map((name) => ({ name: `client/${name}`, type: SCRIPT, body: readFileSync(folder + name) })),
    { name: "dashboard.css", type: CSS, body: DASHBOARD_STYLESHEET },
    { name: "car.css", type: CSS, body: CAR_STYLESHEET },
    { name: "overview.css", type: CSS, body: OVERVIEW_STYLESHEET },
  ];
}
