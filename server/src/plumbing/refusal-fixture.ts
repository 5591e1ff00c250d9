import { Refusal } from "#plumbing/errors";

/** Returns the message with which an action refuses a malformed input. Throws if it does not refuse it. */
export function refusalOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof Refusal && error.kind === "malformed") return error.message;
    throw error;
  }
  throw new Error("The input was not refused.");
}
