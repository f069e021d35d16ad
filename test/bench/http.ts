import autocannon from "autocannon";
import { median } from "./measure.js";
import { BENCH_KEY, type BenchGateway, startBareExpress } from "./process.js";
import type { BenchLine } from "./table.js";

const ROUNDS = 5;
const SECONDS = 2;
const HEADERS = { "X-API-Key": BENCH_KEY, "Content-Type": "application/json" };
/** Charging a car overnight: a flexible request that controllers repeat. */
const CAR = { window_start_hour: 22, window_end_hour: 6, segments: "3", plugged: 1 };
/** More distinct requests than the cache holds, so that each is computed. */
const FLEETS = {
  "one segment": CAR,
  "two segments": { window_start_hour: 18, window_end_hour: 7, segments: "2,1.5", plugged: 1 },
};
const FLEET_SIZE = 500;

interface BenchRequest {
  path: string;
  /** Sent in turn; without bodies: GET. */
  bodies?: string[];
}

const load = ({ url, path, bodies }: BenchRequest & { url: string }, seconds = SECONDS) =>
  autocannon({
    url: `${url}${path}`,
    connections: 10,
    duration: seconds,
    headers: HEADERS,
    ...(bodies !== undefined && {
      requests: bodies.map((body) => ({ method: "POST" as const, path, headers: HEADERS, body })),
    }),
  });

/** One request per car of a fleet, each with a different progress. */
function fleet(request: object): string[] {
  return Array.from({ length: FLEET_SIZE }, (_, car) =>
    JSON.stringify({ ...request, hours_completed: car / (2 * FLEET_SIZE) }),
  );
}

/** Requests per second. Throws an Error if a request failed. */
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
 * Compares the gateway with plain Express serving the same bytes. Runs alternate, so that other load on the machine affects
 * both; the result is the median ratio of consecutive runs.
 */
export async function benchHttp(gateway: BenchGateway): Promise<BenchLine[]> {
  const requests: (BenchRequest & { name: string; goal: string })[] = [
    { name: "GET /v1/forecast, 168 h: hourgate / bare Express", path: "/v1/forecast", goal: "at least 0.9" },
    {
      name: "POST /v1/decision/windows, repeated: hourgate / bare Express",
      path: "/v1/decision/windows",
      bodies: [JSON.stringify(CAR)],
      goal: "at least 0.6",
    },
    ...Object.entries(FLEETS).map(([what, request]) => ({
      name: `POST /v1/decision/windows, ${FLEET_SIZE} different, ${what}: hourgate / bare Express`,
      path: "/v1/decision/windows",
      bodies: fleet(request),
      goal: "at least 0.6",
    })),
  ];
  const lines: BenchLine[] = [];
  for (const { name, goal, ...request } of requests) {
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
      { name: "… requests per second", value: median(ours), unit: "/s", goal: "" },
    );
  }
  return lines;
}

/** Latency of a controller's `/line` request while ten connections request forecasts continuously, ms. */
export async function benchControllers(gateway: BenchGateway): Promise<BenchLine[]> {
  const made = await gateway.command("link", "create", "--site", "home", "--scope", "read");
  const token = /\/c\/([^/\s]+)/.exec(made)?.[1];
  if (token === undefined) throw new Error("The controller link could not be created.");
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
      name: "/c/…/line, p99 with 10 busy connections",
      value: line.latency.p99,
      unit: "ms",
      goal: "",
    },
  ];
}
