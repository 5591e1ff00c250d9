import type { paths } from "reprise-sdk";
import { counted } from "#plumbing/text/counted";
import { printable } from "#plumbing/text/printable";

/** The reply of the server about a verification. */
export type VerificationReply =
  paths["/api/workflows/{workflow_id_or_name}/verification"]["get"]["responses"]["200"]["content"]["application/json"];
type Output = VerificationReply["outputs"][number];

const TEXT_MAX = 500;
const shown = (text: string) => printable(text, TEXT_MAX);

/** Limit on the outputs that are listed. The heaviest verdicts come first. */
const OUTPUTS_MAX = 50;

const RULE_SENTENCES: Readonly<Record<NonNullable<Output["rule"]>, string>> = {
  "png-pixels": "the same pixels",
  "gzip-header": "the same data after the gzip header",
  "zip-order": "the same entries in another order",
  notebook: "the same notebook without execution counts",
  "json-values": "the same JSON values",
  "csv-numbers": "the same table",
};

/** Returns what came out of a verification, for a person. */
export function verificationLines(reply: VerificationReply): string[] {
  const listed = reply.outputs.slice(0, OUTPUTS_MAX);
  const width = Math.max(0, ...listed.map(({ verdict }) => verdict.length));
  const more = reply.outputs.length - listed.length;
  return [
    ...listed.map((output) => outputLine(output, width)),
    ...(more > 0 ? [`and ${counted(more, "more output")}; --json lists all.`] : []),
    ...differenceLines(reply),
    ...causeLines(reply),
    conclusion(reply),
  ];
}

function outputLine(output: Output, width: number): string {
  const why = output.rule === null ? output.note : ruleSentence(output.rule, output.difference);
  return `${output.verdict.padEnd(width)}  ${shown(output.name)}${why === null ? "" : `: ${why}`}`;
}

function ruleSentence(rule: NonNullable<Output["rule"]>, difference: number | null): string {
  const numbers = difference ? `, numbers differ by at most ${difference.toPrecision(2)} of their value` : "";
  return RULE_SENTENCES[rule] + numbers;
}

function differenceLines({ first_difference: found }: VerificationReply): string[] {
  if (!found) return [];
  const steps = found.steps.map(shown);
  const files = found.files.map(shown).join(", ");
  const where =
    steps.length === 1
      ? `The first step that differs is ${steps[0]}: ${files}.`
      : `The first difference is in ${files}, which these steps wrote one after the other: ${steps.join(", ")}.`;
  return found.has_other_image ? [where, "It ran in an image with another digest than before."] : [where];
}

function causeLines({ cause }: VerificationReply): string[] {
  if (!cause) return [];
  const listed = (word: string, conditions: readonly string[]) =>
    conditions.length === 0 ? [] : [`${word}: ${conditions.join(", ")}.`];
  if (cause.state === "found") return [shown(cause.sentence)];
  return [
    shown(cause.sentence),
    ...listed("Excluded", cause.excluded),
    ...listed("Not varied, because the place of the step does not allow it", cause.not_varied),
  ];
}

function conclusion(reply: VerificationReply): string {
  const { workflow_name: run, repetition, step, outputs, state, tolerance } = reply;
  const name = step === null ? run : `the step ${shown(step)} of ${run}`;
  const again = repetition.workflow_name;
  const count = (verdict: Output["verdict"]) => outputs.filter((output) => output.verdict === verdict).length;
  const cut = reply.is_cut ? " Some outputs were not recorded, and so not compared." : "";
  switch (state) {
    case "running":
      return `${again}, which repeats ${name}, is ${repetition.status}.`;
    case "not-repeated":
      return `Not verified: ${again}, which repeats ${name}, has ${repetition.status === "stopped" ? "been stopped" : repetition.status}. See reprise logs ${again}.`;
    case "identical":
      return `Verified: ${counted(outputs.length, "output")} of ${name} came out identical in ${again}.${cut}`;
    case "equivalent":
      return (
        `Verified: of ${counted(outputs.length, "output")} of ${name}, ${count("identical")} came out identical in ${again} and ` +
        `${count("equivalent")} equivalent (tolerance for numbers: ${tolerance}).${cut}`
      );
    case "unknown":
      return `Not decided: ${count("unknown")} of ${counted(outputs.length, "output")} of ${name} could not be compared with ${again}.${cut}`;
    case "different":
      return `Not verified: ${count("different")} of ${counted(outputs.length, "output")} of ${name} came out different in ${again}.${cut}`;
  }
}
