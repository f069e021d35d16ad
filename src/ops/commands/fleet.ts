import type { Settings } from "../../config/settings.js";
import type { FleetConfiguration } from "../fleet/settings.js";
import {
  type Arguments,
  CommandError,
  command,
  configOption,
  EXIT,
  jsonOption,
  printResult,
  type Terminal,
} from "./command.js";
import { loadConfiguration } from "./configuration.js";
import { eraseSettings } from "./erase-settings.js";
import { serve } from "./serve.js";

/** Commands for a fleet. */
export const fleetCommands = [
  command({
    name: "fleet route",
    summary: "Runs a router that passes requests to the workers of a fleet.",
    options: { config: configOption },
    async run(args, terminal, { loadRouter }) {
      const settings = await fleetSettings(args, terminal);
      eraseSettings(terminal);
      const { createRouter } = await loadRouter();
      return serve(settings, { createGateway: () => createRouter(settings), signals: process, terminal });
    },
  }),
  command({
    name: "fleet status",
    summary: "Shows which worker serves each shard of a fleet.",
    options: { json: jsonOption, config: configOption },
    async run(args, terminal) {
      const settings = await fleetSettings(args, terminal);
      const [{ Holders }, { FleetSecret }] = await Promise.all([
        import("../fleet/holders.js"),
        import("../fleet/secret.js"),
      ]);
      const holders = new Holders({
        settings,
        secret: new FleetSecret(settings),
        onReplaced: () => {},
        log: { info: () => {}, warn: (_fields, message) => terminal.error(message) },
      });
      await holders.start();
      await holders.stop();
      const rows = holders.list().map((holder, shard) => ({
        shard,
        worker: holder?.worker ?? null,
        address: holder?.address ?? null,
      }));
      await printResult(args, terminal, rows, () =>
        rows.map(
          ({ shard, worker, address }) =>
            `${shard}  ${worker === null ? "no worker" : `${worker}  ${address ?? "starting"}`}`,
        ),
      );
      return rows.every(({ address }) => address !== null) ? EXIT.done : EXIT.failed;
    },
  }),
];

/** The configuration of a fleet. Throws CommandError if it is none. */
async function fleetSettings(
  args: Arguments<{ config: string | undefined }>,
  terminal: Terminal,
): Promise<FleetConfiguration> {
  const { isFleet } = await import("../fleet/settings.js");
  const settings: Settings = loadConfiguration(args, terminal).settings;
  if (isFleet(settings)) return settings;
  throw new CommandError("This configuration has no fleet: set fleet.shards.");
}
