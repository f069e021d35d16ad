/** The part of autocannon's interface that the benchmark uses; the package has no types. */
declare module "autocannon" {
  interface Options {
    url: string;
    connections?: number;
    /** Seconds. */
    duration?: number;
    /** Requests a second over all connections. */
    overallRate?: number;
    headers?: Record<string, string>;
    method?: "GET" | "POST";
    body?: string;
  }
  interface Result {
    requests: { total: number };
    /** Milliseconds. */
    latency: { p99: number };
    non2xx: number;
    errors: number;
    /** Seconds. */
    duration: number;
  }
  export default function autocannon(options: Options): Promise<Result>;
}
