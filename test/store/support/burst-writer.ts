import { openStore } from "../../../src/store/store.js";

/** Writes samples and state continuously and prints the number of each acknowledged write, until killed. */
const store = await openStore(process.argv[2]!, { info: () => {}, warn: () => {} });
const firstMs = Date.parse("2026-01-15T00:00:00Z");

async function writeSamples(lane: number): Promise<void> {
  for (let index = lane; ; index += 4) {
    const at = new Date(firstMs + index * 1000);
    await store.samples.append("home", [{ at, values: { soc_pct: index % 101, import_kwh: index } }]);
    process.stdout.write(`sample ${index}\n`);
  }
}

async function writeState(): Promise<void> {
  for (let index = 1; ; index++) {
    await store.state.update((draft) => {
      draft.settings = { home: { plant: { counter: index }, telemetry: null } };
    });
    process.stdout.write(`state ${index}\n`);
  }
}

await Promise.all([writeState(), ...[0, 1, 2, 3].map(writeSamples)]);
