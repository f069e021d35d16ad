import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ConfigError, type ConfigProblem } from "../config/error.js";
import { type ActuatorTemplate, parseTemplate } from "./template.js";

/** The templates that the gateway ships. */
const SHIPPED = fileURLToPath(new URL("../../config/actuators", import.meta.url));

/** The templates by id, and the problems of files that could not be used. */
export interface TemplateLibrary {
  templates: ReadonlyMap<string, ActuatorTemplate>;
  problems: readonly ConfigProblem[];
}

/** Reads the shipped templates, then those of the data folder, which replace shipped ones of the same id. Never throws. */
export async function loadTemplates(userFolder?: string, shipped = SHIPPED): Promise<TemplateLibrary> {
  const templates = new Map<string, ActuatorTemplate>();
  const problems: ConfigProblem[] = [];
  for (const folder of [shipped, ...(userFolder === undefined ? [] : [userFolder])]) {
    const names = await readdir(folder).catch((): string[] => []);
    for (const name of names.filter((one) => one.endsWith(".yaml")).sort()) {
      const file = join(folder, name);
      try {
        const template = parseTemplate(await readFile(file, "utf8"), file);
        if (template.id === basename(name, ".yaml")) templates.set(template.id, template);
        else
          problems.push({ file, key: "id", message: `must be "${basename(name, ".yaml")}", as the file.` });
      } catch (error) {
        if (error instanceof ConfigError) problems.push(...error.problems);
        else problems.push({ file, key: "", message: "can't be read; check its permissions." });
      }
    }
  }
  return { templates, problems };
}
