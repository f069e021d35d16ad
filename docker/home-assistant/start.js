import { existsSync, readFileSync } from "node:fs";
import { brokerOf, environmentOf } from "./environment.js";

const CONFIG = "/config/hourgate.yaml";

const options = JSON.parse(readFileSync("/data/options.json", "utf8"));
const wantsBroker = options.mqtt === "home_assistant";
const broker = wantsBroker ? await brokerOf({ token: process.env.SUPERVISOR_TOKEN }) : undefined;
if (wantsBroker && broker === undefined)
  console.log(
    "Home Assistant has no MQTT broker (app Mosquitto broker): hourgate uses its own on port 1883.",
  );
Object.assign(
  process.env,
  environmentOf({ options, broker, config: existsSync(CONFIG) ? CONFIG : undefined }),
);
process.argv = [process.argv[0], "/app/dist/cli.js", "serve"];
await import("/app/dist/cli.js");
