import { Link } from "wouter";
import type { RunAction } from "../../api/changes.ts";
import { CloseButton } from "../../parts/close-button.tsx";
import { sentenceOf } from "../../parts/notes.tsx";
import { counted } from "../../parts/words.ts";
import type { Outcome } from "./use-many-runs.ts";

const MAX_SENTENCES = 10;

const DONE: Readonly<Record<RunAction, string>> = {
  start: "started",
  stop: "stopped",
  restart: "restarted",
  rerun: "rerun",
  delete: "deleted",
};

interface OutcomeLinesProps {
  readonly outcome: Outcome;
  readonly onClose: () => void;
}

/** Reports the result of a bulk action. A filter may hide the effects, such as the new runs of a restart. */
export function OutcomeLines({ outcome: { action, succeeded, refusals }, onClose }: OutcomeLinesProps) {
  const sentences = refusals.map(sentenceOf);
  return (
    <>
      <p role="status" className="flex-1">
        {succeeded > 0 && `${counted(succeeded, "run")} ${DONE[action]}.`}{" "}
        {succeeded > 0 && action !== "delete" && (
          <Link href="/runs" className="ml-2 text-accent underline">
            Show all runs
          </Link>
        )}
      </p>
      <CloseButton label="Close the message" onClose={onClose} />
      {sentences.length > 0 && (
        <ul role="alert" className="w-full text-bad">
          {sentences.slice(0, MAX_SENTENCES).map((sentence, index) => (
            <li key={index}>{sentence}</li>
          ))}
          {sentences.length > MAX_SENTENCES && <li>and {sentences.length - MAX_SENTENCES} more.</li>}
        </ul>
      )}
    </>
  );
}
