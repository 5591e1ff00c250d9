import { Refusal } from "#plumbing/errors";

/** Returns the message of an action's refusal of a malformed input. Throws if the action does not refuse. */
export function refusalOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof Refusal && error.kind === "malformed") return error.message;
    throw error;
  }
  throw new Error("The input was not refused.");
}
