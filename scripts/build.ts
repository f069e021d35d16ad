import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { bundle } from "./bundle.js";

/** `npm run build`: checks the types while it bundles the code. */
const compiler = spawn(process.execPath, ["node_modules/typescript/bin/tsc", "--build"], {
  cwd: resolve(import.meta.dirname, ".."),
  stdio: "inherit",
});
const [[status]] = await Promise.all([once(compiler, "exit"), bundle()]);
process.exitCode = status ?? 1;
