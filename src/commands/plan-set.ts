import { GIVEN_PLANS } from "../domain/tier.js";
import { formatIso, parseTime, VIENNA } from "../time/zone.js";
import { adminCommand } from "./admin-command.js";
import { textOption } from "./command.js";

export const planSetCommand = adminCommand<{ email: string; plan: string; paid_until: string | null }>({
  name: "plan set",
  summary: "Gives an account a plan: community, professional or oem.",
  positionals: ["EMAIL", "PLAN"],
  usage: "[--until DATE]",
  options: {
    until: {
      type: "string",
      value: "DATE",
      help: "End of the paid period (exclusive), such as 2026-12-31; then community. Default: no end.",
    },
  },
  input(args) {
    const [email, plan] = args.positionals as [string, string];
    if (!(GIVEN_PLANS as readonly string[]).includes(plan))
      return `"${plan}" is no plan; give one of ${GIVEN_PLANS.join(", ")}.`;
    const told = textOption(args, "until");
    if (told === undefined) return { email, plan };
    const until = parseTime(told, VIENNA);
    return until === undefined
      ? `--until must be a date such as 2026-12-31, not "${told}".`
      : { email, plan, until: until.toISOString() };
  },
  lines: ({ email, plan, paid_until }) => [
    `${email} now has the plan ${plan}${paid_until === null ? "" : `, until ${formatIso(new Date(paid_until), VIENNA)}`}.`,
  ],
});
