// Exits with 0 if the gateway in this container answers /health with 200. Port: HOURGATE_HTTP__PORT, default 8080.
const port = process.env.HOURGATE_HTTP__PORT ?? "8080";

try {
  const { ok } = await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(4_000) });
  process.exitCode = ok ? 0 : 1;
} catch {
  process.exitCode = 1;
}
