import { join, resolve } from "node:path";
import { GIVEN_PLANS } from "../../core/domain/tier.js";
import { formatIso, parseTime, VIENNA } from "../../core/time/zone.js";
import { adminCommand, passwordFromInput, table } from "./admin-command.js";
import { flagOption, textOption, usageError, valueOption } from "./command.js";

interface CreatedAccount {
  email: string;
  confirmed: boolean;
  site_id?: string;
  key?: string;
  password?: string;
  portal_url?: string;
}

export const accountCreateCommand = adminCommand<CreatedAccount>({
  name: "account create",
  summary:
    "Creates an account; without --confirmed its owner receives a mail with a link to set the password.",
  positionals: ["EMAIL"],
  usage: "[--password-stdin] [--confirmed] [--language de|en]",
  options: {
    "password-stdin": flagOption(
      "With --confirmed: read the password from standard input; otherwise one is generated and printed once.",
    ),
    confirmed: flagOption("The account is active immediately; no mail is sent."),
    language: valueOption("de|en", "Language of mails to the account; default: de."),
  },
  async input({ options, positionals }, terminal) {
    const input = {
      email: positionals[0]!,
      confirmed: options.confirmed === true,
      ...(typeof options.language === "string" && { language: options.language }),
    };
    if (options["password-stdin"] !== true) return input;
    return { ...input, password: await passwordFromInput(terminal) };
  },
  lines({ email, confirmed, site_id, key, password, portal_url: portal }, settings) {
    const outbox = join(resolve(settings.data_dir), "outbox");
    return [
      confirmed
        ? `Account ${email} is active with the site ${site_id}.`
        : `A mail with a link to set the password was sent to ${email}.`,
      ...(confirmed || settings.smtp !== null
        ? []
        : [`No mail server is configured (smtp): the mail is in ${outbox}.`]),
      ...(portal === undefined ? [] : [`Portal: ${portal}/login`]),
      ...(password === undefined ? [] : [`Password (shown only now): ${password}`]),
      ...(key === undefined ? [] : [`API key (shown only now): ${key}`]),
    ];
  },
});

interface AccountList {
  accounts: {
    email: string;
    effective_plan: string;
    administrator: boolean;
    trial_ends_at: string | null;
    paid_until: string | null;
    sites: string[];
  }[];
}

export const accountListCommand = adminCommand<AccountList>({
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

export const accountResetPasswordCommand = adminCommand<{ email: string; password?: string; totp: boolean }>({
  name: "account reset-password",
  summary: "Sets a new password and ends all sessions of the account.",
  positionals: ["EMAIL"],
  usage: "[--password-stdin] [--remove-totp]",
  options: {
    "password-stdin": flagOption(
      "Read the password from standard input; otherwise one is generated and printed once.",
    ),
    "remove-totp": flagOption("Also remove the second factor."),
  },
  async input({ options, positionals }, terminal) {
    const input = { email: positionals[0]!, remove_totp: options["remove-totp"] === true };
    if (options["password-stdin"] !== true) return input;
    return { ...input, password: await passwordFromInput(terminal) };
  },
  lines: ({ email, password, totp }) => [
    `The password of ${email} was changed${totp ? "; the second factor is still required" : ""}.`,
    ...(password === undefined ? [] : [`Password (shown only now): ${password}`]),
  ],
});

export const accountUnlockCommand = adminCommand<{ email: string }>({
  name: "account unlock",
  summary: "Lifts the sign-in delay after too many wrong passwords.",
  positionals: ["EMAIL"],
  input: ({ positionals }) => ({ email: positionals[0] }),
  lines: ({ email }) => [`${email} can sign in without delay.`],
});

export const accountDeleteCommand = adminCommand<{ email: string }>({
  name: "account delete",
  summary: "Deletes an account with all its sites and data; this cannot be undone.",
  positionals: ["EMAIL"],
  input: ({ positionals }) => ({ email: positionals[0] }),
  lines: ({ email }) => [`The account ${email} was deleted.`],
});

export const planSetCommand = adminCommand<{ email: string; plan: string; paid_until: string | null }>({
  name: "plan set",
  summary: "Gives an account a plan: community, professional or oem.",
  positionals: ["EMAIL", "PLAN"],
  usage: "[--until DATE]",
  options: {
    until: valueOption(
      "DATE",
      "End of the paid period (exclusive), such as 2026-12-31; then community. Default: no end.",
    ),
  },
  input(args) {
    const [email, plan] = args.positionals as [string, string];
    if (!(GIVEN_PLANS as readonly string[]).includes(plan))
      throw usageError(`"${plan}" is not a plan; use one of ${GIVEN_PLANS.join(", ")}.`);
    const date = textOption(args, "until");
    if (date === undefined) return { email, plan };
    const until = parseTime(date, VIENNA);
    if (until === undefined) throw usageError(`--until must be a date such as 2026-12-31, not "${date}".`);
    return { email, plan, until: until.toISOString() };
  },
  lines: ({ email, plan, paid_until }) => [
    `${email} now has the plan ${plan}${paid_until === null ? "" : `, until ${formatIso(new Date(paid_until), VIENNA)}`}.`,
  ],
});
