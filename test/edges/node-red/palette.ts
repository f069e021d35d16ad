import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";

/** The folder of the palette package. */
export const PALETTE = resolve(fileURLToPath(new URL("../../../node-red-nodes", import.meta.url)));

const require = createRequire(import.meta.url);

/** Loads a file of the palette as Node-RED does. */
export function load<Module>(path: string): Module {
  return require(join(PALETTE, path)) as Module;
}

export interface Manifest {
  name: string;
  keywords: string[];
  dependencies: Record<string, string>;
  engines: { node: string };
  "node-red": { version: string; nodes: Record<string, string> };
  [key: string]: unknown;
}

export const manifest = JSON.parse(readFileSync(join(PALETTE, "package.json"), "utf8")) as Manifest;

const examplesIn = (folder: string) =>
  readdirSync(join(PALETTE, folder))
    .filter((name) => name.endsWith(".json"))
    .map((name) => ({
      name,
      flow: JSON.parse(readFileSync(join(PALETTE, folder, name), "utf8")) as FlowNode[],
    }));

export const examples = examplesIn("examples");

/** The examples with German texts. */
export const germanExamples = examplesIn("examples/Deutsch");

export interface FlowNode {
  id: string;
  type: string;
  z?: string;
  name?: string;
  wires?: string[][];
  [key: string]: unknown;
}

/** The definition of a node in the editor. */
export interface Definition {
  category: string;
  icon?: string;
  color?: string;
  outputs?: number;
  defaults: Record<string, { value: unknown }>;
  credentials?: Record<string, unknown>;
}

/** The definitions in the HTML file of a node by type. Its scripts are executed as in the editor. */
export function definitionsIn(path: string): Record<string, Definition> {
  const page = readFileSync(join(PALETTE, path.replace(/\.js$/, ".html")), "utf8");
  const found: Record<string, Definition> = {};
  const check = () => () => true;
  const registerType = (type: string, given: Definition) => {
    found[type] = given;
  };
  for (const [, script] of page.matchAll(/<script type="text\/javascript">([\s\S]*?)<\/script>/g))
    runInNewContext(script!, {
      RED: { nodes: { registerType } },
      window: { hourgateEditor: { number: check, address: check } },
    });
  return found;
}
