import { useQuery } from "@tanstack/react-query";
import { actions, type Failure, type RunRecord } from "../../api/asks.ts";
import { sentenceOf } from "./sentence.ts";

interface RunSentenceProps {
  readonly run: RunRecord;
  readonly failure: Failure | null | undefined;
}

/** What happens now, or how it ended; and why a run that has not been started cannot be. */
export function RunSentence({ run, failure }: RunSentenceProps) {
  const { data = [] } = useQuery(actions(run.id));
  const refusal = run.status === "created" ? data.find((one) => one.action === "start")?.reason : undefined;
  const isWrong = run.status === "failed" || Boolean(refusal);
  return (
    <p
      aria-live="polite"
      className={`-mt-2 mb-4 max-w-[110ch] wrap-anywhere ${isWrong ? "text-bad" : "text-muted"}`}
    >
      {refusal ?? sentenceOf(run, failure)}
    </p>
  );
}
