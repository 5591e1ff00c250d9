import { fullNameOf } from "#operations/full-name";
import { causeSentence } from "#operations/runs/verification/cause/cause-sentence";
import { isDifferent } from "#operations/runs/verification/cause/plan-repetitions";
import type { RunVerification } from "#operations/runs/verification/get-verification";
import { type JudgedOutput, OUTPUT_VERDICTS } from "#operations/runs/verification/judge-outputs";
import { printable } from "#plumbing/text/printable";
import type { Run } from "#store/runs/runs";

/** Version of the format, as CODECHECK names it. */
const CODECHECK = "https://codecheck.org.uk/spec/config/1.0/";
const TEXT_MAX = 1000;

/** Returns the file in which CODECHECK looks for the manifest. A text in JSON is a text in YAML as well. */
export function codecheckText(found: RunVerification, version: string): string {
  const manifest = found.outputs.flatMap((output) => [
    `  - file: ${quoted(output.path)}`,
    `    comment: ${quoted(verdictText(output))}`,
  ]);
  return lines([
    "---",
    `version: ${CODECHECK}`,
    ...(manifest.length > 0 ? ["manifest:", ...manifest] : ["manifest: []"]),
    "codechecker:",
    `  - name: ${quoted(`Reprise ${version}`)}`,
    `summary: ${quoted(summaryOf(found))}`,
    `check_time: ${quoted(timeOf(found.repetition))}`,
    "report: report.md",
  ]);
}

/** Returns the report for a person, in Markdown. */
export function reportText(found: RunVerification, version: string): string {
  const { verified, repetition, tolerance, outputs, isCut, firstDifference, cause } = found;
  const rows = outputs.map((output) => `| ${code(output.path)} | ${verdictText(output)} |`);
  const steps = firstDifference?.jobs.map(({ label }) => code(label)).join(", ");
  const difference = firstDifference && [
    "",
    `The first step that differs: ${steps} (${firstDifference.files.map(code).join(", ")}).`,
  ];
  return lines([
    `# Verification of ${fullNameOf(verified)}`,
    "",
    summaryOf(found),
    "",
    `- original: ${fullNameOf(verified)} (${verified.id}), finished at ${timeOf(verified)}`,
    `- repetition: ${fullNameOf(repetition)} (${repetition.id}), finished at ${timeOf(repetition)}`,
    `- relative difference up to which numbers count as equal: ${tolerance}`,
    `- made by Reprise ${version}`,
    ...(isCut ? ["- Some outputs were not recorded, and so not compared."] : []),
    "",
    "| output | verdict |",
    "|---|---|",
    ...rows,
    ...(difference ?? []),
    ...(cause ? ["", printable(causeSentence(cause), TEXT_MAX)] : []),
  ]);
}

/** Returns all facts for a program. */
export function recordText(found: RunVerification, version: string): string {
  const { verified, repetition, step, state, tolerance, outputs, isCut, firstDifference, cause } = found;
  const record = {
    verified: runRecord(verified),
    repetition: runRecord(repetition),
    step,
    state,
    summary: summaryOf(found),
    tolerance,
    is_cut: isCut,
    outputs: outputs.map(({ path, repeatedSha256, ...output }) => ({
      name: path,
      ...output,
      repeated_sha256: repeatedSha256,
    })),
    first_difference: firstDifference && {
      steps: firstDifference.jobs.map(({ label }) => label),
      files: firstDifference.files,
    },
    cause: cause && {
      step: cause.job.label,
      sentence: causeSentence(cause),
      condition: cause.next.kind === "found" ? cause.next.cause : null,
      repetitions: cause.repetitions.map((one) => {
        return { varied: one.varied, is_different: isDifferent(one), has_failed: one.hasFailed };
      }),
      excluded: cause.excluded,
      not_varied: cause.notVaried,
    },
    made_by: `Reprise ${version}`,
  };
  return `${JSON.stringify(record, null, 2)}\n`;
}

function runRecord(run: Run) {
  return { workflow_id: run.id, workflow_name: fullNameOf(run), finished_at: timeOf(run) };
}

function summaryOf({ verified, repetition, step, outputs }: RunVerification): string {
  const counts = OUTPUT_VERDICTS.toReversed().flatMap((verdict) => {
    const count = outputs.filter((output) => output.verdict === verdict).length;
    return count === 0 ? [] : [`${count} ${verdict}`];
  });
  const whose = step === null ? "" : `the step ${step} of `;
  return `Outputs of ${whose}${fullNameOf(verified)}, compared with ${fullNameOf(repetition)}: ${counts.join(", ")}.`;
}

function verdictText({ verdict, rule, note }: JudgedOutput): string {
  const why = rule === null ? note : `by the rule ${rule}`;
  return why === null ? verdict : `${verdict}, ${why}`;
}

function timeOf({ finishedAtMs, stoppedAtMs, createdAtMs }: Run): string {
  return new Date(finishedAtMs ?? stoppedAtMs ?? createdAtMs).toISOString();
}

const quoted = (text: string) => JSON.stringify(printable(text, TEXT_MAX));
/** A name cannot end the code of Markdown, or a cell of its table. */
const code = (text: string) => `\`${printable(text, TEXT_MAX).replaceAll("`", "'").replaceAll("|", "\\|")}\``;
const lines = (all: readonly string[]) => `${all.join("\n")}\n`;
