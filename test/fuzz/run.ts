/**
 * Attacks the parsers with mutated input, then a running gateway with random requests and floods. `--only parsers` or
 * `--only gateway`; `--minutes N` for each of the two, `--seed N`.
 */
const at = process.argv.indexOf("--only");
const only = at < 0 ? undefined : process.argv[at + 1];
if (only !== "gateway") await import("./parsers/run.js");
if (only !== "parsers" && process.exitCode === undefined) await import("./gateway.js");
