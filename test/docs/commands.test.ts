import { existsSync, readFileSync } from "node:fs";
import { posix, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { createOperations } from "../../src/api/catalogue.js";
import type { Operation } from "../../src/api/operation.js";
import { commands } from "../../src/ops/commands/catalogue.js";
import { createProgram } from "../../src/ops/commands/parser.js";
import { fakeServices } from "../api/fake-services.js";
import { page, pagePaths, section, withoutCode } from "./pages.js";

const ROOT = resolve(import.meta.dirname, "../..");
const pages = pagePaths().filter((path) => path !== "CHANGELOG.md");

/** The lines of fenced blocks of shell. */
function shellLines(text: string): string[] {
  const shell: string[] = [];
  let fence: string | undefined;
  for (const line of text.replace(/\\\n\s*/g, " ").split("\n")) {
    const [, language] = /^\s*```(\w*)/.exec(line) ?? [];
    if (language !== undefined) fence = fence === undefined ? language : undefined;
    else if (fence !== undefined && ["", "sh", "console"].includes(fence)) shell.push(line);
  }
  return shell;
}

const INLINE =
  /`((?:npx )?hourgate [^`\n]+|npm (?:run|test|start|ci)[^`\n]*|npx (?:tsx|vitest) [^`\n]+|curl [^`\n]+)`/g;

/** The lines of shell in fenced blocks, without a prompt, and the commands in the text. */
const lines = pages.flatMap((path) => {
  const inline = [...withoutCode(page(path)).matchAll(INLINE)].map(([, command = ""]) => command);
  return [...shellLines(page(path)), ...inline].map((line) => ({
    path,
    line: line.trim().replace(/^\$ /, ""),
  }));
});

/** The words of each command of a line; comments, variables before it and redirections are left out. */
function commandsOf(line: string): string[][] {
  const words = [...line.matchAll(/"([^"]*)"|'([^']*)'|(&&|\|\||[|;>])|(#.*)|((?:[^\s"'|;>#]|(?<=\S)#)+)/g)];
  const result: string[][] = [[]];
  for (const [, double, single, operator, comment, word] of words) {
    if (comment !== undefined) break;
    if (operator !== undefined) result.push([]);
    else result.at(-1)!.push(double ?? single ?? word!);
  }
  return result.map((command) => {
    const start = command.findIndex((word) => !/^[A-Z_][A-Z0-9_]*=/.test(word));
    return start < 0 ? [] : command.slice(start);
  });
}

const used = lines.flatMap(({ path, line }) => commandsOf(line).map((words) => ({ path, line, words })));
const starting = (...first: string[]) =>
  used
    .filter(({ words }) => first.every((word, index) => words[index] === word))
    .map(({ words, ...rest }) => ({ ...rest, words: words.slice(first.length) }));

/** Words that stand for something to be filled in, such as `EMAIL`, `<version>` or `…`. */
const isComplete = (words: readonly string[]) => !words.some((word) => /…|[<[|]/.test(word));

/** What the parser of the command line says about arguments; empty if it accepts them. */
async function refusal(args: readonly string[]): Promise<string> {
  const silent = { environment: {}, out: () => undefined, error: () => undefined };
  try {
    await createProgram(commands, silent, async () => undefined).parseAsync([...args], { from: "user" });
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe("commands in the documentation", () => {
  it("of hourgate are accepted by its command line", async () => {
    const all = [
      ...starting("hourgate"),
      ...starting("npx", "hourgate"),
      ...starting("node", posix.join("dist", "cli.js")),
    ];
    expect(all.length).toBeGreaterThan(60);
    const names = new Set(commands.map(({ name }) => name));
    const wrong: string[] = [];
    for (const { path, line, words } of all) {
      const name = [words.slice(0, 2).join(" "), words[0]!].find((some) => names.has(some));
      if (name === undefined) {
        if (!/^--(help|version)$/.test(words[0]!)) wrong.push(`${path}: ${line}: no such command`);
        continue;
      }
      const spec = commands.find((command) => command.name === name)!;
      const rest = words.slice(name.split(" ").length);
      const unknown = rest
        .filter((word) => /^--[a-z-]+(=|$)/.test(word))
        .filter((word) => {
          const option = word.slice(2).split("=")[0]!;
          return option !== "help" && !Object.hasOwn(spec.options, option);
        });
      if (unknown.length > 0) wrong.push(`${path}: ${line}: ${unknown.join(" ")}`);
      // A mention without its arguments, such as `hourgate import meter`, is not parsed.
      else if (rest.length > 0 && isComplete(rest) && !/\b[A-Z]{2,}\b/.test(rest.join(" "))) {
        const message = await refusal(words);
        if (message !== "") wrong.push(`${path}: ${line}: ${message}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it("of npm are scripts of the package", () => {
    const { scripts } = JSON.parse(readFileSync(resolve(ROOT, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    const run = starting("npm", "run").map(({ words }) => words[0]!);
    expect(run.length).toBeGreaterThan(10);
    expect(run.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });

  it("name files that exist", () => {
    const files = [
      ...starting("npx", "tsx").map(({ words }) => words[0]!),
      ...starting("npx", "vitest", "run").flatMap(({ words }) =>
        words.filter((word) => word.startsWith("test/")),
      ),
      ...used.flatMap(({ words }) =>
        words.flatMap((word, index) => (index === 3 && words[2] === "-f" ? [word] : [])),
      ),
    ];
    expect(files.length).toBeGreaterThan(15);
    expect([...new Set(files)].filter((file) => !existsSync(resolve(ROOT, file)))).toEqual([]);
  });

  it("with curl call what the gateway serves", () => {
    const operations: Operation[] = createOperations(fakeServices());
    const served = new Set([
      ...operations.map(({ method, path }) => `${method} ${path}`),
      "GET /openapi.json",
    ]);
    const calls = starting("curl").flatMap(({ words }) => {
      const url = words.find((word) => /^https?:\/\/[^/]+\/(v1|health|openapi)/.test(word));
      return url === undefined ? [] : [`${words.includes("-d") ? "POST" : "GET"} ${new URL(url).pathname}`];
    });
    expect(calls.length).toBeGreaterThan(20);
    expect([...new Set(calls)].filter((call) => !served.has(call))).toEqual([]);
  });
});

it("topics in the documentation are in the tables of docs/mqtt.md", () => {
  const mqtt = page("docs/mqtt.md");
  const tables = `${section(mqtt, "## Topics out")}\n${section(mqtt, "## Topics in")}`;
  const known = [...tables.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`…\/([^`]+)`/g)].map(([, topic = ""]) => topic),
  );
  expect(known.length).toBeGreaterThan(70);
  // `<n>` and `<id>` stand for one level, a name of the documentation for any of a list, such as `<reading>`.
  const patterns = known.map(
    (topic) => new RegExp(`^${topic.replace(/<\w+>/g, "[^/]+").replace(/…$/, ".+")}$`),
  );
  const wrong = pages.flatMap((path) =>
    [
      ...page(path).matchAll(
        /`…\/((?:slots|batteries|battery|outputs|price|pv|savings|today|meter|actuators|devices|discharge|charge|grid|feed_in|presence|telemetry|request)\/[^`\s]+)`/g,
      ),
    ]
      .map(([, topic = ""]) => topic)
      .filter((topic) => !/[#+]|…/.test(topic) && !patterns.some((pattern) => pattern.test(topic)))
      .map((topic) => `${path}: …/${topic}`),
  );
  expect(wrong).toEqual([]);
});
