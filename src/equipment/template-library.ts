import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { ConfigError, type ConfigProblem } from "../config/error.js";
import { didYouMean } from "../config/kit/suggest.js";
import { preparedPath, shippedPath } from "../core/installation.js";
import { ActuatorInputError } from "./input-error.js";
import { type ActuatorTemplate, parseTemplate } from "./template.js";

/** The templates that the gateway ships. */
const SHIPPED = shippedPath("config/devices");

/** Where the build writes the shipped templates as they were read and checked, below the code. */
export const TEMPLATES_FOLDER = "equipment/templates";

/** The file of a template there, named by the text that it is read from. */
function preparedTemplateFile(text: string): string {
  return `${createHash("sha256").update(text).digest("hex").slice(0, 16)}.json`;
}

/** As the build has read it; undefined where it has not, as for templates of the data folder. */
function preparedTemplate(text: string): ActuatorTemplate | undefined {
  const file = join(preparedPath(TEMPLATES_FOLDER), preparedTemplateFile(text));
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as ActuatorTemplate) : undefined;
}

/** The shipped templates as they are once they are read, for the build and tests: name and text of each file. */
export const preparedTemplates = (): { name: string; text: string }[] =>
  readdirSync(SHIPPED).map((file) => {
    const text = readFileSync(join(SHIPPED, file), "utf8");
    return { name: preparedTemplateFile(text), text: JSON.stringify(parseTemplate(text, file)) };
  });

/** Templates by their text: those of all libraries of the process are parsed once. */
const parsed = new Map<string, ActuatorTemplate>();

/**
 * The templates by id: the shipped ones, and those of the data folder, which replace shipped ones of the same id. A shipped
 * template is parsed when it is first asked for, since most homes use one or two of them.
 */
export class TemplateLibrary {
  /** What is wrong with files that cannot be used. */
  readonly problems: ConfigProblem[] = [];
  readonly #templates = new Map<string, ActuatorTemplate>();
  readonly #unread = new Map<string, { file: string; text: string }>();

  /** Reads both folders. Never throws: unusable files are among the problems. */
  static async open(userFolder?: string, shipped = SHIPPED): Promise<TemplateLibrary> {
    const library = new TemplateLibrary();
    await library.#readFolder(shipped);
    if (userFolder !== undefined) {
      const shippedTexts = new Map(library.#unread);
      library.#unread.clear();
      await library.#readFolder(userFolder);
      library.all();
      for (const [id, unread] of shippedTexts)
        if (!library.#templates.has(id)) library.#unread.set(id, unread);
    }
    return library;
  }

  has(id: string): boolean {
    return this.#templates.has(id) || this.#unread.has(id);
  }

  /** Undefined if there is none, or if its file cannot be used. */
  get(id: string): ActuatorTemplate | undefined {
    const unread = this.#unread.get(id);
    if (unread !== undefined) {
      this.#unread.delete(id);
      this.#parse(id, unread);
    }
    return this.#templates.get(id);
  }

  /** Reads every template, each in a turn of the event loop of its own: without those of the build all of them take a second. */
  async readAll(): Promise<void> {
    for (const id of this.ids()) {
      if (!this.#unread.has(id)) continue;
      await setImmediate();
      this.get(id);
    }
  }

  /** All usable templates, by id. */
  all(): ActuatorTemplate[] {
    return this.ids()
      .map((id) => this.get(id))
      .filter((template) => template !== undefined);
  }

  ids(): string[] {
    return [...this.#templates.keys(), ...this.#unread.keys()].sort();
  }

  async #readFolder(folder: string): Promise<void> {
    const names = await readdir(folder).catch((): string[] => []);
    for (const name of names.filter((one) => one.endsWith(".yaml"))) {
      const file = join(folder, name);
      try {
        this.#unread.set(basename(name, ".yaml"), { file, text: await readFile(file, "utf8") });
      } catch {
        this.problems.push({ file, key: "", message: "can't be read; check its permissions." });
      }
    }
  }

  #parse(id: string, { file, text }: { file: string; text: string }): void {
    try {
      const template = parsed.get(text) ?? preparedTemplate(text) ?? parseTemplate(text, file);
      parsed.set(text, template);
      if (template.id === id) this.#templates.set(id, template);
      else this.problems.push({ file, key: "id", message: `must be "${id}", as the file.` });
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      this.problems.push(...error.problems);
    }
  }
}

/** A device names a template that is not in the library. */
export function unknownTemplate(id: string, ids: readonly string[]): ActuatorInputError {
  return new ActuatorInputError(
    `There is no template "${id}".${didYouMean(id, ids)} Known are ${ids.join(", ")}.`,
  );
}
