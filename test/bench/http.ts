import autocannon from "autocannon";
import { median } from "./measure.js";
import { BENCH_KEY, type BenchGateway, startBareExpress } from "./process.js";
import type { BenchLine } from "./table.js";

const ROUNDS = 5;
const SECONDS = 2;
const HEADERS = { "X-API-Key": BENCH_KEY, "Content-Type": "application/json" };
/** The car in the night: a flexible request as controllers repeat it. */
const CAR = { window_start_hour: 22, window_end_hour: 6, segments: "3", plugged: 1 };
/** More different requests than are answered from memory, so that each is solved. */
const FLEETS = {
  "one segment": CAR,
  "two segments": { window_start_hour: 18, window_end_hour: 7, segments: "2,1.5", plugged: 1 },
};
const FLEET_SIZE = 500;

interface Asked {
  path: string;
  /** Asked one after the other; left out: GET. */
  bodies?: string[];
}

const load = ({ url, path, bodies }: Asked & { url: string }, seconds = SECONDS) =>
  autocannon({
    url: `${url}${path}`,
    connections: 10,
    duration: seconds,
    headers: HEADERS,
    ...(bodies !== undefined && {
      requests: bodies.map((body) => ({ method: "POST" as const, path, headers: HEADERS, body })),
    }),
  });

/** One request of each car of a fleet: the same wish, each with something done of it already. */
function fleet(wish: object): string[] {
  return Array.from({ length: FLEET_SIZE }, (_, car) =>
    JSON.stringify({ ...wish, hours_completed: car / (2 * FLEET_SIZE) }),
  );
}

/** Requests per second, refused ones being no answer at all. */
function throughput(result: {
  requests: { total: number };
  non2xx: number;
  errors: number;
  duration: number;
}) {
  if (result.non2xx + result.errors > 0) throw new Error(`${result.non2xx + result.errors} requests failed.`);
  return result.requests.total / result.duration;
}

/**
 * The gateway against bare Express with the same bytes: turn by turn in one run, so that what else the machine does meets
 * both; the median of the ratios of adjoining turns.
 */
export async function benchHttp(gateway: BenchGateway): Promise<BenchLine[]> {
  const asked: (Asked & { name: string; goal: string })[] = [
    { name: "GET /v1/forecast, 168 h: hourgate / bare Express", path: "/v1/forecast", goal: "at least 0.9" },
    {
      name: "POST /v1/decision/windows, the same again and again: hourgate / bare Express",
      path: "/v1/decision/windows",
      bodies: [JSON.stringify(CAR)],
      goal: "at least 0.6",
    },
    ...Object.entries(FLEETS).map(([what, wish]) => ({
      name: `POST /v1/decision/windows, ${FLEET_SIZE} different, ${what}: hourgate / bare Express`,
      path: "/v1/decision/windows",
      bodies: fleet(wish),
      goal: "at least 0.6",
    })),
  ];
  const lines: BenchLine[] = [];
  for (const { name, goal, ...request } of asked) {
    const answer = await fetch(gateway.url + request.path, {
      headers: HEADERS,
      ...(request.bodies !== undefined && { method: "POST", body: request.bodies[0]! }),
    });
    const bare = await startBareExpress({ [request.path]: await answer.text() });
    const ours: number[] = [];
    const theirs: number[] = [];
    await load({ url: gateway.url, ...request }, 1);
    await load({ url: bare.url, ...request }, 1);
    for (let round = 0; round < ROUNDS; round++) {
      ours.push(throughput(await load({ url: gateway.url, ...request })));
      theirs.push(throughput(await load({ url: bare.url, ...request })));
    }
    await bare.stop();
    lines.push(
      { name, value: median(ours.map((value, round) => value / theirs[round]!)), unit: "×", goal },
      { name: "… requests a second", value: median(ours), unit: "/s", goal: "" },
    );
  }
  return lines;
}

/** How long a controller waits for its line while dashboards ask for forecasts as fast as they can, ms. */
export async function benchControllers(gateway: BenchGateway): Promise<BenchLine[]> {
  const made = await gateway.command("link", "create", "--site", "home", "--scope", "read");
  const token = /\/c\/([^/\s]+)/.exec(made)?.[1];
  if (token === undefined) throw new Error("No controller link could be made.");
  const busy = load({ url: gateway.url, path: "/v1/forecast" }, 4);
  const line = await autocannon({
    url: `${gateway.url}/c/${token}/line`,
    connections: 1,
    overallRate: 100,
    duration: 3,
  });
  await busy;
  throughput(line);
  return [
    {
      name: "/c/…/line, p99 with 10 busy connections beside it",
      value: line.latency.p99,
      unit: "ms",
      goal: "",
    },
  ];
}
