// Computes the days given as arguments on a data folder and reports each document that is stored; killed by process.slow.test.ts.

import { PriceSeries } from "../../../src/forecast/market/price-series.ts";
import { Ledger } from "../../../src/money/ledger/ledger.ts";
import { openStore } from "../../../src/store/store.ts";

const [folder, site, now, from, to] = process.argv.slice(2);
const store = await openStore(folder, { info() {}, warn() {} });
const series = PriceSeries.of(await store.prices.load());
const documents = {
  get: (name) => store.documents.get(name),
  put: async (name, value) => {
    await store.documents.put(name, value);
    process.send(name);
  },
};
const clock = { now: () => new Date(now) };
const ledger = new Ledger({ ...store, documents, clock, series: () => series });
await ledger.days(JSON.parse(site), from, to);
await store.close();
process.disconnect();
