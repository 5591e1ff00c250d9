import { MEANINGS } from "#operations/runs/verification/cause/conditions";
import type { CauseSearch } from "#operations/runs/verification/cause/find-cause";
import {
  isDifferent,
  type Repetition,
  type Unknown,
} from "#operations/runs/verification/cause/plan-repetitions";
import { counted } from "#plumbing/text/counted";
import { CHANGING, type Condition } from "#workflow/run/conditions";

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
  "needs-network":
    "the outputs differ though everything is held that can be held, and the step fails without the network. What it reads from the network may differ.",
  "none-varies":
    "the outputs stay the same, whatever is changed. The difference came from the surroundings of one of the two runs.",
  several: "no condition alone explains the difference.",
  budget: "the budget is used up, or too small for a proof.",
};

function foundSentence(subject: string, repetitions: readonly Repetition[], cause: Condition): string {
  const numbers = (isMeant: (one: Repetition) => boolean) =>
    listed(repetitions.flatMap((one, index) => (isMeant(one) ? [index + 1] : [])));
  if (cause === "network") {
    const isCut = ({ varied }: Repetition) => varied.includes("network");
    return (
      `The cause in ${subject} is ${MEANINGS.network.name}: with the network, the outputs differ each time (repetitions ` +
      `${numbers((one) => !isCut(one) && !one.hasFailed)}); without it they are equal, also while all is changed that differs from run to run ` +
      `(repetitions ${numbers(isCut)}).`
    );
  }
  const fixed = numbers(({ varied }) => varied.length === 0);
  const alone = numbers(({ varied }) => varied.length === 1 && varied[0] === cause);
  const held = numbers((one) => one.varied.length > 1 && !one.varied.includes(cause) && !isDifferent(one));
  return (
    `The cause in ${subject} is ${MEANINGS[cause].name}: changed alone, the outputs differ (repetitions ${alone} against ` +
    `${fixed}); held while all ${CHANGING.has(cause) ? "is changed that differs from run to run" : "else is changed"}, they are equal (repetitions ${held}).`
  );
}

function listed(numbers: readonly number[]): string {
  const last = numbers.at(-1)!;
  return numbers.length < 2 ? `${last}` : `${numbers.slice(0, -1).join(", ")} and ${last}`;
}
