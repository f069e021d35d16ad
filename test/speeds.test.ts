import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");

/** What starts the whole gateway, other servers or a browser, or needs the build: too slow for every save. */
const HEAVY = [
  /^src\/app\/gateway\.ts$/,
  /^playwright-core$/,
  /^test\/e2e\/gateway-process\.ts$/,
  /\/(mosquitto|postgres-server|quotas-redis-server)\.ts$/,
];

function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), "utf8");
  return [...text.matchAll(/(?:\bfrom\s+|\bimport\s+|\bimport\(\s*)"([^"]+)"/g)].map(([, name]) =>
    name!.startsWith(".")
      ? relative(ROOT, resolve(ROOT, dirname(file), name!)).replace(/\.js$/, ".ts")
      : name!,
  );
}

/** The first heavy thing that a test imports, directly or through its helpers. */
function heavyImport(file: string, seen = new Set<string>()): string | undefined {
  seen.add(file);
  const imports = importsOf(file);
  const heavy = imports.find((name) => HEAVY.some((pattern) => pattern.test(name)));
  if (heavy !== undefined) return heavy;
  const helpers = imports.filter((name) => name.startsWith("test/") && name.endsWith(".ts"));
  return helpers
    .filter((name) => !seen.has(name) && existsSync(join(ROOT, name)))
    .map((name) => heavyImport(name, seen))
    .find((name) => name !== undefined);
}

it("names each test slow that starts the gateway, a server or a browser, or reads the build", () => {
  const fast = readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts") && !name.endsWith(".slow.test.ts"))
    .filter((name) => !/^(access|docker|e2e|faults|scripts)\//.test(name))
    .map((name) => `test/${name}`);
  expect(fast.length).toBeGreaterThan(200);
  const wrong = fast.flatMap((file) => {
    const heavy = /\bdist\/\w+(\/\w+)*\.js/.test(
      readFileSync(join(ROOT, file), "utf8").replace(/"ajv\/.*/g, ""),
    )
      ? "dist"
      : heavyImport(file);
    return heavy === undefined ? [] : [`${file} uses ${heavy}: name it *.slow.test.ts`];
  });
  expect(wrong).toEqual([]);
});
