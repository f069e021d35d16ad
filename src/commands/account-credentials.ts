import { adminCommand, passwordFromInput } from "./admin-command.js";

export const accountResetPasswordCommand = adminCommand<{ email: string; password?: string; totp: boolean }>({
  name: "account reset-password",
  summary: "Sets a new password and signs the account out everywhere.",
  positionals: ["EMAIL"],
  usage: "[--password-stdin] [--remove-totp]",
  options: {
    "password-stdin": {
      type: "boolean",
      help: "Read the password from standard input; otherwise one is generated and printed once.",
    },
    "remove-totp": { type: "boolean", help: "Also remove the second factor." },
  },
  async input({ options, positionals }, terminal) {
    const input = { email: positionals[0]!, remove_totp: options["remove-totp"] === true };
    if (options["password-stdin"] !== true) return input;
    const password = await passwordFromInput(terminal);
    return password === "" ? "No password came on standard input." : { ...input, password };
  },
  lines: ({ email, password, totp }) => [
    `The password of ${email} was changed${totp ? "; the second factor is still required" : ""}.`,
    ...(password === undefined ? [] : [`Password (shown only now): ${password}`]),
  ],
});

export const accountUnlockCommand = adminCommand<{ email: string }>({
  name: "account unlock",
  summary: "Lets an account sign in again at once after too many wrong passwords.",
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
