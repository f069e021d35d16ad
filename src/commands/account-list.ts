import { formatIso, VIENNA } from "../time/zone.js";
import { adminCommand, table } from "./admin-command.js";

interface Listed {
  accounts: {
    email: string;
    effective_plan: string;
    administrator: boolean;
    trial_ends_at: string | null;
    paid_until: string | null;
    sites: string[];
  }[];
}

export const accountListCommand = adminCommand<Listed>({
  name: "account list",
  summary: "Lists the accounts with their plans and sites.",
  lines: ({ accounts }) =>
    table(
      ["E-MAIL", "PLAN", "UNTIL", "SITES"],
      accounts.map(({ email, effective_plan: plan, administrator, trial_ends_at, paid_until, sites }) => {
        const until = plan === "trial" ? trial_ends_at : plan === "community" ? null : paid_until;
        return [
          email,
          administrator ? `${plan}, administrator` : plan,
          until === null ? "-" : formatIso(new Date(until), VIENNA),
          sites.join(" "),
        ];
      }),
    ),
});
