import { MEANINGS } from "#operations/runs/verification/cause/conditions";
import type { CauseSearch } from "#operations/runs/verification/cause/find-cause";
import type { Repetition, Unknown } from "#operations/runs/verification/cause/plan-repetitions";
import { counted } from "#plumbing/text/counted";
import type { Condition } from "#workflow/run/conditions";

/** Returns the finding as a sentence, with the numbers of the repetitions that show it. */
export function causeSentence(search: Pick<CauseSearch, "job" | "files" | "repetitions" | "next">): string {
  const { job, files, repetitions, next } = search;
  const subject = `${job.label} (${files.join(", ")})`;
  if (next.kind === "found") return foundSentence(subject, repetitions, next.cause);
  if (next.kind === "unknown") return `The cause is unknown: ${WHY[next.why]}`;
  return `The cause is not known yet, after ${counted(repetitions.length, "repetition")} of ${job.label}.`;
}

const WHY: Readonly<Record<Unknown, string>> = {
  fails: "the step fails or takes too long under fixed conditions.",
  "not-alone":
    "the step cannot be repeated alone, because it needs files outside of the workspace, or this version of the server would make another command.",
  "not-held":
    "the outputs differ though everything is held that can be held. Random numbers of another source, a race, the network or a file outside of the workspace remain.",
  "none-varies":
    "the outputs stay the same, whatever is changed. The difference came from the surroundings of one of the two runs.",
  several: "no condition alone explains the difference.",
  budget: "the budget of repetitions is used up.",
};

function foundSentence(subject: string, repetitions: readonly Repetition[], cause: Condition): string {
  const numbers = (isMeant: (one: Repetition) => boolean) =>
    repetitions.flatMap((one, index) => (isMeant(one) ? [index + 1] : [])).join(" and ");
  const fixed = numbers(({ varied }) => varied.length === 0);
  const alone = numbers(({ varied }) => varied.length === 1 && varied[0] === cause);
  const held = numbers(
    ({ varied, isDifferent }) => varied.length > 1 && !varied.includes(cause) && !isDifferent,
  );
  return (
    `The cause in ${subject} is ${MEANINGS[cause].name}: changed alone, the outputs differ (repetitions ${alone} against ` +
    `${fixed}); held while all is changed that differs from run to run, they are equal (repetitions ${held}).`
  );
}
