import type { ReusableJob, Restart } from "#engines/engine";
import type { Decision, Difference } from "#workflow/job/decision";
import { IMAGE_DIGEST, imageSentence } from "#workflow/job/image-digest";
import { differs } from "#workflow/job/job-contents";

/** Sentences of content-based decisions on restarted jobs, each made from the kind, the facts and the earlier run. */
const SENTENCES = {
  "taken-over": (_, run) =>
    `Taken over from ${run}: its command, image, environment and inputs are the same, and the files that it left are untouched.`,
  fresh: () => "The run was asked to run everything.",
  "from-step": ([step]) => `The run was asked to run everything from the step "${String(step?.now)}" on.`,
  "never-reused": () => "Its tool allows no reuse: WorkReuse is off, or it changes its inputs in place.",
  "reads-anything": ([parameter]) =>
    `Its parameter ${parameter!.field.slice("parameters.".length)} is the whole workspace, so it may read any file.`,
  changed: (facts, run) => changed(facts, run),
  removed: (facts, run) => removed(facts, run),
  "not-reached": () => "No earlier run of this workspace has finished it.",
  "failed-before": (_, run) => `It failed in ${run}.`,
  "stopped-before": (_, run) => `It was stopped in ${run}.`,
  "not-comparable": (_, run) => `It is unknown what it read in ${run}, or what it reads now.`,
} satisfies Record<string, (facts: readonly Difference[], run: string) => string>;

export type DecisionKind = keyof typeof SENTENCES;

export function decision(kind: DecisionKind, facts: readonly Difference[], run = ""): Decision {
  const tell: (facts: readonly Difference[], run: string) => string = SENTENCES[kind];
  return { kind, facts, sentence: tell(facts, run) };
}

/** The decision on a job after comparison with a job of an earlier run. */
export type Judged =
  /** The job is taken over. */
  | {
      readonly decision: Decision;
      readonly taken: Pick<ReusableJob, "from"> & Required<Pick<ReusableJob, "left">>;
    }
  /** The job runs. The decision is undefined if no earlier run of the workspace could have done the work. */
  | { readonly decision: Decision | undefined; readonly taken?: undefined };

interface Judging {
  readonly key: string;
  readonly restart: Restart | undefined;
  /** Returns whether the exit code now counts as a success. */
  readonly succeeds: (exitCode: number | null) => boolean;
}

/** Decides whether a job has to run. A job is reused only if all facts are equal. */
export function judgeReusable(found: ReusableJob | null, { key, restart, succeeds }: Judging): Judged {
  if (!found) return { decision: restart && whyNothingFound(key, restart) };
  const { from, run, facts, left } = found;
  const changes = facts.filter(differs);
  if (changes.length > 0 || !left) {
    const kind = changes.length > 0 && isRemoved(changes) ? "removed" : "changed";
    return { decision: decision(kind, changes, run) };
  }
  if (!succeeds(left.exitCode)) {
    const exitCode = { field: "exit code", before: left.exitCode, now: null };
    return { decision: decision("changed", [exitCode], run) };
  }
  return { decision: decision("taken-over", facts, run), taken: { from, left } };
}

/** The fact that a finished run removed intermediate files of the workspace. The value is the name of the run. */
export const REMOVED_BY = "removed by";

/** Returns whether files of the job removed by a run are the only difference. */
function isRemoved(changes: readonly Difference[]): boolean {
  const isGone = ({ field, now }: Difference) => field.startsWith("files ") && now === null;
  return (
    changes.some(({ field }) => field === REMOVED_BY) &&
    changes.every((one) => one.field === REMOVED_BY || isGone(one))
  );
}

function removed(facts: readonly Difference[], run: string): string {
  const { now } = facts.find(({ field }) => field === REMOVED_BY) ?? {};
  const by = typeof now === "string" ? now : run;
  return `The intermediate files that it left in ${run} were removed after ${by}, which kept its outputs only (keep: outputs).`;
}

function whyNothingFound(key: string, { previous }: Restart): Decision {
  const status = previous?.jobs.find((job) => job.key === key)?.status ?? null;
  const facts = [{ field: "status", before: status, now: null }];
  if (status === "failed") return decision("failed-before", facts, previous!.name);
  if (status === "stopped") return decision("stopped-before", facts, previous!.name);
  return decision(status === "finished" ? "not-comparable" : "not-reached", facts, previous?.name);
}

function changed(facts: readonly Difference[], run: string): string {
  const [first] = facts;
  if (!first) return `It is unknown whether everything is as ${run} left it.`;
  const more = facts.length - 1;
  return difference(first, run) + (more > 0 ? ` ${more} more differ.` : "");
}

function difference(fact: Difference, run: string): string {
  const { field, before, now } = fact;
  if (field === IMAGE_DIGEST) return imageSentence(fact, run);
  const [kind, ...rest] = field.split(/[. ]/);
  const name = field.slice(kind!.length + 1);
  if (kind === "inputs" && rest.length > 0) {
    if (before === null) return `Its input ${name} is new since ${run}.`;
    return now === null
      ? `Its input ${name} is gone since ${run}.`
      : `Its input ${name} has changed since ${run}.`;
  }
  if (kind === "places")
    return `Its input ${name} lies elsewhere than in ${run}, and a link that it left leads there.`;
  if (kind === "environment" && rest.length > 0)
    return `The environment variable ${name} has changed since ${run}.`;
  if (kind === "files")
    return now === null ? `${name} is gone since ${run}.` : `${name} has changed since ${run}.`;
  return `Its ${field} has changed since ${run}.`;
}
