import { DeviceError } from "../../equipment/command.js";
import { ExpressionError } from "../../equipment/expression.js";
import { ActuatorInputError } from "../../equipment/input-error.js";
import { table } from "./admin-command.js";
import { CommandError, command, configOption, EXIT, jsonOption, printResult } from "./command.js";
import { loadConfiguration } from "./configuration.js";
import { givenPairs, withOption } from "./device-commands.js";

export const devicesEntitiesCommand = command({
  name: "devices entities",
  summary: "Lists what a system such as Home Assistant offers for each reading, by kind and unit.",
  operands: ["TEMPLATE"],
  options: { with: withOption, config: configOption, json: jsonOption },
  async run(args, terminal) {
    const { settings } = loadConfiguration(args, terminal);
    const [template = ""] = args.positionals;
    const { listEntities } = await import("../devices-alone.js");
    try {
      const entities = await listEntities(settings, {
        template,
        with: JSON.stringify(givenPairs(args.options.with)),
      });
      if (entities === undefined)
        throw new CommandError(`The template "${template}" has no list; home-assistant has one.`);
      const rows = Object.entries(entities).flatMap(([reading, list]) =>
        list.map(({ id, name, state, unit }) => [reading, id, name, `${state} ${unit}`.trim()]),
      );
      await printResult(args, terminal, { entities }, () =>
        rows.length === 0
          ? ["There is no entity with a power, an energy, a state of charge or a temperature."]
          : table(["READING", "ENTITY", "NAME", "VALUE"], rows),
      );
      return EXIT.done;
    } catch (error) {
      if (
        error instanceof DeviceError ||
        error instanceof ActuatorInputError ||
        error instanceof ExpressionError
      )
        throw new CommandError(error.message);
      throw error;
    }
  },
});
