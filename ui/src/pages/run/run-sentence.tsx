import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { actions, type Failure, type RunRecord } from "../../api/run-asks.ts";
import { explainingLine } from "./explaining-line.ts";
import { PlacedText } from "./placed-text.tsx";
import { sentenceOf } from "./sentence.ts";

interface RunSentenceProps {
  readonly run: RunRecord;
  readonly failure: Failure | null | undefined;
}

/** Says what happens now, or how the run ended; and why a run that has not been started cannot be. */
export function RunSentence({ run, failure }: RunSentenceProps) {
  const { data = [] } = useQuery(actions(run.id));
  const refusal = run.status === "created" ? data.find((one) => one.action === "start")?.reason : undefined;
  const isWrong = run.status === "failed" || Boolean(refusal);
  return (
    <div
      aria-live="polite"
      className={
        isWrong
          ? "mb-3 rounded-lg border border-bad/30 bg-bad-tint px-4 py-2.5"
          : "-mt-2 mb-3 text-muted wrap-anywhere"
      }
    >
      <p className="max-w-[110ch] wrap-anywhere whitespace-pre-line">
        <PlacedText run={run.id} text={refusal ?? sentenceOf(run, failure)} />
      </p>
      {failure?.job && <FailingLine run={run.id} job={failure.job.key} lines={failure.last_lines} />}
    </div>
  );
}

interface FailingLineProps {
  readonly run: string;
  readonly job: string;
  readonly lines: readonly string[];
}

/** Links to the log line that most likely explains the failure. */
function FailingLine({ run, job, lines }: FailingLineProps) {
  const index = explainingLine(lines.length, (at) => lines[at]!);
  if (index === undefined) return null;
  return (
    <Link
      href={`/runs/${run}?job=${encodeURIComponent(job)}`}
      title="Show it in the log"
      className="mt-1 block truncate font-mono text-xs leading-5 font-medium text-bad hover:underline"
    >
      {lines[index]!.trim()}
    </Link>
  );
}
