import { servers } from "../../src/app/servers.js";
import { main } from "../../src/ops/commands/main.js";

type Terminal = Parameters<typeof main>[1];

/** Runs an hourgate command in this process; its exit code and output. */
export async function runCommand(typed: readonly string[], changes: Partial<Terminal> = {}) {
  const out: string[] = [];
  const error: string[] = [];
  const code = await main(
    typed,
    {
      environment: {},
      out: (line: string) => out.push(line),
      error: (line: string) => error.push(line),
      ...changes,
    },
    servers,
  );
  return { code, out: out.join("\n"), error: error.join("\n") };
}
