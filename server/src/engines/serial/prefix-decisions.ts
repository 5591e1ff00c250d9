import { isRemoved } from "#engines/serial/evidence";
import type { Decision, Difference } from "#workflow/job/decision";
import { IMAGE_DIGEST, imageSentence } from "#workflow/job/image-digest";

/**
 * The sentences of the decisions on the commands of a restart, each made only from the kind and the facts. `previous`
 * is the name of the last run in the workspace.
 */
type Tell = (facts: readonly Difference[], previous: string) => string;

const SENTENCES = {
  "taken-over": (_, previous) => takenOver(previous),
  "taken-over-beside": (_, previous) =>
    `${takenOver(previous)} It is independent of the steps that run again.`,
  "left-out": () => "Skipped: the run was asked to start from a later step.",
  "from-step": ([step]) => `The run was asked to run everything from the step "${String(step?.now)}" on.`,
  fresh: () => "The run was asked to run everything.",
  "cache-off": () => "Everything runs, because the option CACHE is off.",
  "from-option": () => "Everything runs from the step that the option FROM names.",
  "first-run": () => "This is the first run of the workspace.",
  "changed-meanwhile": (_, previous) =>
    `Files were changed while ${previous} was running: it is unknown which command read them.`,
  "other-language": ([type], previous) => `${previous} was a ${String(type?.before)} workflow.`,
  unchecked: () => "The files of the workspace could not be checked.",
  follows: () => "It comes after a command that runs again.",
  changed: (facts, previous) => changed(facts, previous),
  removed: (facts, previous) => removed(facts, previous),
  "not-reached": (_, previous) => `${previous} did not reach it.`,
  "failed-before": (_, previous) => `It failed in ${previous}.`,
  "stopped-before": (_, previous) => `It was stopped in ${previous}.`,
  "other-order": (_, previous) => `${previous} ran it in another order.`,
  "shares-file": ([touched]) =>
    `${touched!.field.slice("touched ".length)} was changed by a command that runs again, too.`,
} satisfies Record<string, Tell>;

export type DecisionKind = keyof typeof SENTENCES;

/** Decides that a command runs because of the differences. */
export function changedBy(differences: readonly Difference[], previous: string): Decision {
  return decision(differences.every(isRemoved) ? "removed" : "changed", differences, previous);
}

export function decision(kind: DecisionKind, facts: readonly Difference[], previous: string): Decision {
  const tell: Tell = SENTENCES[kind];
  return { kind, facts, sentence: tell(facts, previous) };
}

function takenOver(previous: string): string {
  return (
    `Taken over from ${previous}: its command, its settings and the declared inputs are the same, and ` +
    "the files that it left are untouched."
  );
}

function changed(facts: readonly Difference[], previous: string): string {
  const more = facts.length - 1;
  return difference(facts[0]!, previous) + (more > 0 ? ` ${more} more differ.` : "");
}

function removed(facts: readonly Difference[], previous: string): string {
  const path = facts[0]!.field.slice("files ".length);
  const more = facts.length > 1 ? ` and ${facts.length - 1} more` : "";
  return (
    `The intermediate files that it made were removed after ${previous} (${path}${more}), because that run kept its ` +
    "outputs only (keep: outputs). A command that runs again may need them."
  );
}

function difference(found: Difference, previous: string): string {
  const { field, before } = found;
  if (field === IMAGE_DIGEST) return imageSentence(found, previous);
  if (field === "files")
    return `There is too much to check: it is unknown whether everything is as ${previous} left it.`;
  const path = field.startsWith("files ") ? field.slice("files ".length) : undefined;
  if (path === undefined) return `${field} has changed since ${previous}.`;
  if (before !== null) return `${path} has changed since ${previous}.`;
  return `${path} is new since ${previous} and not declared under inputs: it is unknown which command would read it.`;
}
