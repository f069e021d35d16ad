import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Worker, type WorkerOptions } from "node:worker_threads";

/** Starts a thread with a compiled module; from the sources, as in tests, the thread first loads TypeScript support. */
export function startThread(module: URL, options: WorkerOptions): Worker {
  if (!import.meta.url.endsWith(".ts")) return new Worker(module, options);
  const file = module.href.replace(/\.js$/, ".ts");
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx/package.json"));
  const support = new URL("./dist/esm/api/index.mjs", tsx).href;
  const code = `import("${support}").then(({ register }) => { register(); return import("${file}"); });`;
  return new Worker(code, { ...options, eval: true });
}
