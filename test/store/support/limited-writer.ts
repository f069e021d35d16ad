import { openStore } from "../../../src/store/store.js";

/** Writes 1500 samples one by one and prints for each whether it was acknowledged, and the health of the store. */
let health = "healthy";
const store = await openStore(process.argv[2]!, { info: () => {}, warn: () => {} }, (fault) => {
  health = fault === undefined ? "healthy" : "failing";
});
const firstMs = Date.parse("2026-01-15T00:00:00Z");
const lines: string[] = [];
for (let index = 0; index < 1500; index++) {
  const sample = { at: new Date(firstMs + index * 1000), values: { import_kwh: index } };
  const outcome = await store.samples.append("home", [sample]).then(
    () => "stored",
    (error: { code: string }) => error.code,
  );
  lines.push(`${index} ${outcome} ${health}`);
}
console.log(lines.join("\n"));
process.exit(0);
