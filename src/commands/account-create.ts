import { join, resolve } from "node:path";
import { adminCommand, passwordFromInput } from "./admin-command.js";

interface Created {
  email: string;
  confirmed: boolean;
  site_id?: string;
  key?: string;
  password?: string;
}

export const accountCreateCommand = adminCommand<Created>({
  name: "account create",
  summary: "Creates an account; without --confirmed its owner sets the password with the link of a mail.",
  positionals: ["EMAIL"],
  usage: "[--password-stdin] [--confirmed] [--language de|en]",
  options: {
    "password-stdin": {
      type: "boolean",
      help: "With --confirmed: read the password from standard input; otherwise one is generated and printed once.",
    },
    confirmed: { type: "boolean", help: "The account is active at once; no mail is sent." },
    language: { type: "string", value: "de|en", help: "Language of its mails; default: de." },
  },
  async input({ options, positionals }, terminal) {
    const input = {
      email: positionals[0]!,
      confirmed: options.confirmed === true,
      ...(typeof options.language === "string" && { language: options.language }),
    };
    if (options["password-stdin"] !== true) return input;
    const password = await passwordFromInput(terminal);
    return password === "" ? "No password came on standard input." : { ...input, password };
  },
  lines({ email, confirmed, site_id, key, password }, settings) {
    const outbox = join(resolve(settings.data_dir), "outbox");
    return [
      confirmed
        ? `Account ${email} is active with the site ${site_id}.`
        : `A mail with a link went to ${email}; its owner sets the password with it.`,
      ...(confirmed || settings.smtp !== null
        ? []
        : [`No mail server is set (smtp): the mail is in ${outbox}.`]),
      ...(password === undefined ? [] : [`Password (shown only now): ${password}`]),
      ...(key === undefined ? [] : [`API key (shown only now): ${key}`]),
    ];
  },
});
