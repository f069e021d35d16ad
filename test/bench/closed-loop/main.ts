import { benchClosedLoop } from "./closed-loop.js";

/** `npm run bench -- closed-loop --data FOLDER [--set tuning|unseen] [--every n] [--first k] [--know load,pv,price]` */
export function runClosedLoop(args: readonly string[]): void {
  const option = (name: string) => {
    const at = args.indexOf(`--${name}`);
    return at < 0 ? undefined : args[at + 1];
  };
  const set = option("set");
  const know = option("know")?.split(",") ?? [];
  benchClosedLoop({
    sets: set === "tuning" || set === "unseen" ? [set] : ["tuning", "unseen"],
    known: { load: know.includes("load"), pv: know.includes("pv"), price: know.includes("price") },
    every: Number(option("every") ?? 1),
    first: Number(option("first") ?? 0),
    write: (line) => console.log(line),
  });
}
