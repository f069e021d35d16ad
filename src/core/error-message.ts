/** The message of a caught value, which need not be an Error; of a failed `fetch` with its cause, which alone says what is wrong. */
export function errorMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause, message } = error;
  return message === "fetch failed" && cause instanceof Error ? `${message}: ${cause.message}` : message;
}
