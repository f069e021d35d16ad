import { join, resolve } from "node:path";
import { GIVEN_PLANS } from "../../core/domain/tier.js";
import { formatIso, VIENNA } from "../../core/time/zone.js";
import { adminCommand, passwordFromInput, table } from "./admin-command.js";
import { type Arguments, choiceOption, flagOption, type Terminal, usageError } from "./command.js";
import { timeOption } from "./options.js";

/** The request with the password from standard input, if that is asked for. */
async function withPassword(
  request: object,
  { options }: Arguments<{ "password-stdin": boolean }>,
  terminal: Terminal,
): Promise<object> {
  return options["password-stdin"] ? { ...request, password: await passwordFromInput(terminal) } : request;
}

interface CreatedAccount {
  email: string;
  confirmed: boolean;
  site_id?: string;
  key?: string;
  password?: string;
  portal_url?: string;
}

/** Commands for accounts and their plans. */
export const accountCommands = [
  adminCommand({
    name: "account create",
    summary:
      "Creates an account; without --confirmed its owner receives a mail with a link to set the password.",
    operands: ["EMAIL"],
    options: {
      "password-stdin": flagOption(
        "With --confirmed: read the password from standard input; otherwise one is generated and printed once.",
      ),
      confirmed: flagOption("The account is active immediately; no mail is sent."),
      language: choiceOption(["de", "en"], "Language of mails to the account; default: de."),
    },
    input: withPassword,
    lines({ email, confirmed, site_id, key, password, portal_url: portal }: CreatedAccount, settings) {
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
  }),
  adminCommand({
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
  }),
  adminCommand({
    name: "account reset-password",
    summary: "Sets a new password and ends all sessions of the account.",
    operands: ["EMAIL"],
    options: {
      "password-stdin": flagOption(
        "Read the password from standard input; otherwise one is generated and printed once.",
      ),
      "remove-totp": flagOption("Also remove the second factor."),
    },
    input: withPassword,
    lines: ({ email, password, totp }) => [
      `The password of ${email} was changed${totp ? "; the second factor is still required" : ""}.`,
      ...(password === undefined ? [] : [`Password (shown only now): ${password}`]),
    ],
  }),
  adminCommand({
    name: "account unlock",
    summary: "Lifts the sign-in delay after too many wrong passwords.",
    operands: ["EMAIL"],
    lines: ({ email }) => [`${email} can sign in without delay.`],
  }),
  adminCommand({
    name: "account delete",
    summary: "Deletes an account with all its sites and data; this cannot be undone.",
    operands: ["EMAIL"],
    lines: ({ email }) => [`The account ${email} was deleted.`],
  }),
  adminCommand({
    name: "plan set",
    summary: "Gives an account a plan: community, professional or oem.",
    operands: ["EMAIL", "PLAN"],
    options: {
      until: timeOption(
        { value: "DATE", zone: VIENNA, form: "a date such as 2026-12-31" },
        "End of the paid period (exclusive), such as 2026-12-31; then community. Default: no end.",
      ),
    },
    input(request, { positionals: [, plan], options: { until } }) {
      if (!GIVEN_PLANS.some((one) => one === plan))
        throw usageError(`"${plan}" is not a plan; use one of ${GIVEN_PLANS.join(", ")}.`);
      return { ...request, ...(until !== undefined && { until: until.toISOString() }) };
    },
    lines: ({ email, plan, paid_until }) => [
      `${email} now has the plan ${plan}${paid_until === null ? "" : `, until ${formatIso(new Date(paid_until), VIENNA)}`}.`,
    ],
  }),
];
