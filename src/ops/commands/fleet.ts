import type { Settings } from "../../config/settings.js";
import { errorMessage } from "../../core/error-message.js";
import { StoreError } from "../../store/errors.js";
import type { Move } from "../../store/postgres/moves.js";
import type { Holders } from "../fleet/holders.js";
import type { FleetConfiguration } from "../fleet/settings.js";
import {
  type Arguments,
  CommandError,
  command,
  configOption,
  EXIT,
  jsonOption,
  patternOption,
  printResult,
  required,
  type Terminal,
  usageError,
} from "./command.js";
import { loadConfiguration } from "./configuration.js";
import { eraseSettings } from "./erase-settings.js";
import { serve } from "./serve.js";

const fleetRouteCommand = command({
  name: "fleet route",
  summary: "Runs a router that passes requests to the workers of a fleet.",
  options: { config: configOption },
  async run(args, terminal, { loadRouter }) {
    const settings = await fleetSettings(args, terminal);
    eraseSettings(terminal);
    const { createRouter } = await loadRouter();
    return serve(settings, { createGateway: () => createRouter(settings), signals: process, terminal });
  },
});

const fleetStatusCommand = command({
  name: "fleet status",
  summary: "Shows which worker serves each shard of a fleet.",
  options: { json: jsonOption, config: configOption },
  async run(args, terminal) {
    const settings = await fleetSettings(args, terminal);
    const [holders, moves] = await Promise.all([
      startHolders(settings, terminal),
      movesIn(settings, terminal),
    ]);
    await holders.stop();
    const rows = holders.list().map((holder, shard) => ({
      shard,
      worker: holder?.worker ?? null,
      address: holder?.address ?? null,
      moves: moves
        .filter(({ source }) => source === shard)
        .map(({ account, target, phase }) => ({ account, to: target, phase })),
    }));
    await printResult(args, terminal, rows, () =>
      rows.flatMap(({ shard, worker, address, moves }) => [
        `${shard}  ${worker === null ? "no worker" : `${worker}  ${address ?? "starting"}`}`,
        ...moves.map(({ account, to, phase }) => `   account ${account} moves to shard ${to}: ${phase}`),
      ]),
    );
    return rows.every(({ address }) => address !== null) ? EXIT.done : EXIT.failed;
  },
});

const fleetMoveCommand = command({
  name: "fleet move",
  summary: "Moves an account with its homes to another shard of a fleet.",
  operands: ["ACCOUNT"],
  options: {
    to: required(
      patternOption("N", { pattern: /^\d{1,4}$/, form: () => "the number of a shard" }, "The other shard."),
    ),
    json: jsonOption,
    config: configOption,
  },
  async run(args, terminal) {
    const settings = await fleetSettings(args, terminal);
    const target = Number(args.options.to);
    const { shards } = settings.fleet;
    if (target >= shards) throw usageError(`--to must be a number from 0 to ${shards - 1}.`);
    const { MoveRefused, moveAccount } = await import("../fleet/move-account.js");
    const asked = { name: args.positionals[0]!, target };
    const holders = await startHolders(settings, terminal);
    try {
      const moved = await moveAccount(settings.store.postgres.url!, asked, holders);
      await printResult(args, terminal, moved, () => [
        `Shard ${moved.to} serves the account ${moved.account} now; handed over in ${moved.seconds} s. What it has in shard ${moved.from} is being deleted.`,
      ]);
      return EXIT.done;
    } catch (error) {
      if (error instanceof MoveRefused || error instanceof StoreError) throw new CommandError(error.message);
      throw error;
    } finally {
      await holders.stop();
    }
  },
});

/** Commands for a fleet. */
export const fleetCommands = [fleetMoveCommand, fleetRouteCommand, fleetStatusCommand];

/** The workers of all shards. */
async function startHolders(settings: FleetConfiguration, terminal: Terminal): Promise<Holders> {
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
  return holders;
}

/** The moves between shards; without PostgreSQL none, said on standard error. */
async function movesIn({ store }: FleetConfiguration, terminal: Terminal): Promise<readonly Move[]> {
  const { withMoves } = await import("../../store/postgres/moves.js");
  return withMoves(store.postgres.url!, (moves) => moves.list()).catch((error: unknown) => {
    terminal.error(errorMessage(error));
    return [];
  });
}

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
