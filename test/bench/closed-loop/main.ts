import { benchClosedLoop } from "./closed-loop.js";

/**
 * `npm run bench -- closed-loop --data FOLDER [--set tuning|unseen|last|facts] [--every n] [--first k] [--match EXPRESSION]
 * [--know load,pv,price] [--know-hours n] [--pv certain|unmeasured] [--without-simple] [--told] [--new-home]`. The expression is compared with
 * home, first day and kWp, such as "h01.* 2023-12-01 5".
 */
export function runClosedLoop(args: readonly string[]): void {
  const option = (name: string) => {
    const at = args.indexOf(`--${name}`);
    return at < 0 ? undefined : args[at + 1];
  };
  const set = option("set");
  const match = new RegExp(option("match") ?? "");
  const knowHours = option("know-hours");
  const know = option("know")?.split(",") ?? [];
  benchClosedLoop({
    sets:
      set === "tuning" || set === "unseen" || set === "last" || set === "facts"
        ? [set]
        : ["tuning", "unseen"],
    variant: {
      pvIsCertain: option("pv") === "certain",
      pvIsUnmeasured: option("pv") === "unmeasured",
      withoutSimple: args.includes("--without-simple"),
      told: args.includes("--told"),
      newHome: args.includes("--new-home"),
    },
    isChosen: ({ home, start, peakKw }) => match.test(`${home} ${start} ${peakKw}`),
    known: {
      load: knowHours === undefined ? know.includes("load") : Number(knowHours),
      pv: know.includes("pv"),
      price: know.includes("price"),
    },
    every: Number(option("every") ?? 1),
    first: Number(option("first") ?? 0),
    write: (line) => console.log(line),
  });
}
