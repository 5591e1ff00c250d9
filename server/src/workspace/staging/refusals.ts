import { codeOf, isDiskFull, messageOf, Refusal } from "#plumbing/errors";
import { InTheWay, isNotPermitted } from "#workspace/safe-path";
import { printablePath } from "#workspace/staging/plan-staging";

/**
 * Returns a refusal that names the place if the place cannot be staged; returns any other error unchanged.
 */
export function refusalFor(place: string, error: unknown): unknown {
  if (error instanceof InTheWay) return refuse(place, "malformed", inTheWay(error), error);
  if (isDiskFull(error) || (error instanceof Refusal && isDiskFull(error.cause)))
    return refuse(place, "no-space", "The disk is full.", error);
  if (isNotPermitted(error)) return refuse(place, "forbidden", "The permissions do not allow it.", error);
  if (error instanceof Refusal) return refuse(place, error.kind, error.message, error);
  // A second try would fail with the same error.
  const isForEver = ["ENAMETOOLONG", "EEXIST", "ENOTDIR"].includes(codeOf(error) ?? "");
  return isForEver ? refuse(place, "malformed", messageOf(error), error) : error;
}

function inTheWay({ kind, message: name }: InTheWay): string {
  if (kind === "absent") return `The folder ${printablePath(name)} was removed meanwhile.`;
  return `${printablePath(name)} is ${kind === "link" ? "a link" : "no folder"}.`;
}

/** The refusal of a place that something stands at already. */
export function placeIsTaken(place: string): Refusal {
  return refuse(place, "conflict", "Something of that name exists already.");
}

function refuse(place: string, kind: Refusal["kind"], why: string, cause?: unknown): Refusal {
  return new Refusal(kind, `${printablePath(place)} cannot be staged. ${why}`, { cause });
}
