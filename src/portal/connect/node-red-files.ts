import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { shippedPath } from "../../core/installation.js";
import type { Language } from "../../core/language.js";

const PALETTE_FOLDER = shippedPath("node-red-nodes");

/** The example flows that the page offers. */
const FLOWS = {
  battery: { en: "story-battery", de: "Deutsch/Batterie-nach-Stundenpreisen" },
  vehicle: { en: "story-wallbox-overnight", de: "Deutsch/Auto-nachts-laden" },
  boiler: { en: "story-boiler-cheapest-hours", de: "Deutsch/Boiler-in-billigen-Stunden" },
} as const;

export type FlowName = keyof typeof FLOWS;
export const FLOW_NAMES = Object.keys(FLOWS) as FlowName[];

/** An example flow with the address, plant and prefix of this gateway. Throws an Error if the installation is incomplete. */
export function exampleFlow(
  name: FlowName,
  language: Language,
  gateway: { url: string; plant: string; prefix: string },
): string {
  const text = readFileSync(join(PALETTE_FOLDER, "examples", `${FLOWS[name][language]}.json`), "utf8");
  const nodes = JSON.parse(text) as { type: string }[];
  const filled = nodes.map((node) => (node.type === "hourgate-config" ? { ...node, ...gateway } : node));
  return `${JSON.stringify(filled, null, 2)}\n`;
}

/** The palette as a package that Node-RED can install by upload. Throws an Error if the installation is incomplete. */
export function palettePackage(): { filename: string; content: Buffer } {
  const manifest = JSON.parse(readFileSync(join(PALETTE_FOLDER, "package.json"), "utf8")) as {
    name: string;
    version: string;
    files: string[];
  };
  const roots = ["package.json", "README.md", "LICENSE", ...manifest.files];
  const files = roots.flatMap((root) => filesBelow(join(PALETTE_FOLDER, root)));
  const blocks = files.flatMap((file) => {
    const content = readFileSync(file);
    const padding = Buffer.alloc((512 - (content.length % 512)) % 512);
    const name = `package/${relative(PALETTE_FOLDER, file).replaceAll("\\", "/")}`;
    return [tarHeader(name, content.length), content, padding];
  });
  return {
    // The name that `npm pack` gives it.
    filename: `${manifest.name.replace(/^@/, "").replace("/", "-")}-${manifest.version}.tgz`,
    content: gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)])),
  };
}

function filesBelow(path: string): string[] {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesBelow(join(path, name)));
}

/** Header of a regular file in the format ustar (POSIX 1003.1). */
function tarHeader(name: string, size: number): Buffer {
  const header = Buffer.alloc(512);
  const octal = (value: number, offset: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, "0")}\0`, offset, "latin1");
  header.write(name, 0, 100, "utf8");
  octal(0o644, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  header.write("        0", 148, "latin1");
  header.write("ustar\0" + "00", 257, "latin1");
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return header;
}
