import { adminCommand, siteOption, textInput } from "./admin-command.js";

interface Tested {
  site_id: string;
  delivered: boolean;
  status: number | null;
  duration_ms: number;
  error: string | null;
}

export const webhookTestCommand = adminCommand<Tested>({
  name: "webhook test",
  summary: "Sends a test event to the webhook of a site and says what came of it.",
  usage: "--site ID",
  options: { site: siteOption },
  input: (args) => textInput(args, ["site"]),
  lines: ({ site_id, status, duration_ms, error }) => [
    error === null
      ? `The webhook of ${site_id} answered ${status} after ${duration_ms} ms.`
      : `The test event of ${site_id} was not delivered: ${error}`,
  ],
  hasFailed: ({ delivered }) => !delivered,
});
