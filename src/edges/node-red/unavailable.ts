import type { IncomingMessage, ServerResponse } from "node:http";
import { answerStatusPage } from "../../core/net/status-page.js";
import { textsOf } from "../../texts/index.js";

const RETRY_AFTER_SECONDS = 5;

/** Answers 503 in the language of the browser; to programs in one line of English. */
export function answerUnavailable(
  req: IncomingMessage,
  res: ServerResponse,
  reason: "unavailable" | "missing" = "unavailable",
): void {
  const { title } = textsOf("en").nodeRed[reason];
  const advice = reason === "missing" ? "" : `; try again in ${RETRY_AFTER_SECONDS} s`;
  answerStatusPage(req, res, {
    status: 503,
    ...(reason === "unavailable" && { retryAfterSeconds: RETRY_AFTER_SECONDS }),
    textsOf: (language) => textsOf(language).nodeRed[reason],
    plain: { type: "text/plain", body: `${title}${advice}.\n` },
  });
}
