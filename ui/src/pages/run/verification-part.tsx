import { useMutation, useQuery } from "@tanstack/react-query";
import { Suspense, useEffect, useState } from "react";
import { Link } from "wouter";
import { session } from "../../api/asks.ts";
import { queryCache } from "../../api/cache.ts";
import { repeatStep } from "../../api/changes.ts";
import { runAddress } from "../../api/client.ts";
import { type RunRecord, type Verification, verification } from "../../api/run-asks.ts";
import { Button, buttonClass } from "../../parts/button.tsx";
import { FileLink } from "../../parts/file-link.tsx";
import { sentenceOf } from "../../parts/notes.tsx";
import { later } from "../../parts/later.ts";
import { Part } from "../../parts/part.tsx";
import { HEAD } from "../../parts/table.ts";
import { verdictSentence } from "./verdict-sentence.ts";

const VerifyDialog = later(async () => (await import("./verify-dialog.tsx")).VerifyDialog);

/** Limit on the outputs that are listed. The heaviest verdicts come first. */
const OUTPUTS_MAX = 50;

/** Runs a finished run again, and shows whether its outputs came out the same, and if not, why. */
export function VerificationPart({ run }: { readonly run: RunRecord }) {
  const { data: user } = useQuery(session);
  const { data } = useQuery(verification(run.id));
  const [isSearching, search] = useState(false);
  const [isAsking, ask] = useState(false);
  const look = () => queryCache.invalidateQueries({ queryKey: verification(run.id).queryKey });
  const repeat = useMutation({ mutationFn: () => repeatStep(run.id), onSettled: look });
  const isOpen = data?.cause?.state === "open";
  const mayRepeat = isSearching && isOpen && repeat.isIdle;
  useEffect(() => {
    // The server repeats the step in rounds. Each one depends on what the earlier ones have shown.
    if (mayRepeat) repeat.mutate(undefined, { onSuccess: () => repeat.reset() });
  }, [mayRepeat, repeat]);
  const isOwner = user?.id_ === run.user;
  const isBusy = data?.state === "running" || data?.cause?.state === "repeating";
  const { error } = repeat;
  return (
    <Part
      title="Verification"
      note="Runs the workflow or one of its steps again from its recorded inputs, and compares every output."
      aside={
        isOwner && (
          <Button onClick={() => ask(true)} disabled={isBusy}>
            {data ? "Verify again" : "Verify"}
          </Button>
        )
      }
    >
      <div className="space-y-3 px-4 py-3 text-sm" aria-live="polite">
        {data ? <Verdict data={data} /> : <p className="text-muted">Not verified.</p>}
        {isOwner && isOpen && (
          <Button onClick={() => search(true)} disabled={isSearching}>
            {isSearching ? "Looking for the cause …" : "Look for the cause"}
          </Button>
        )}
        {error && <p className="text-bad wrap-anywhere">{sentenceOf(error)}</p>}
      </div>
      {data && data.outputs.length > 0 && <Outputs run={run.id} data={data} />}
      <Suspense>{isAsking && <VerifyDialog run={run} onClose={() => ask(false)} />}</Suspense>
    </Part>
  );
}

function Verdict({ data }: { readonly data: Verification }) {
  const { repetition, first_difference: first, cause } = data;
  return (
    <>
      <p className="wrap-anywhere">
        {verdictSentence(data)}{" "}
        <Link href={`/runs/${repetition.workflow_id}`} className="text-accent underline">
          {repetition.workflow_name}
        </Link>
      </p>
      {first && (
        <p className="wrap-anywhere">
          The first step that differs: {first.steps.join(", ")} ({first.files.join(", ")}).
        </p>
      )}
      {cause && <p className="wrap-anywhere">{cause.sentence}</p>}
      {cause?.state === "unknown" && cause.excluded.length > 0 && (
        <p className="text-muted wrap-anywhere">Excluded: {cause.excluded.join(", ")}.</p>
      )}
    </>
  );
}

function Outputs({ run, data }: { readonly run: string; readonly data: Verification }) {
  const more = data.outputs.length - OUTPUTS_MAX;
  return (
    <>
      <table className="w-full text-sm">
        <thead>
          <tr>
            <th scope="col" className={HEAD}>
              Output
            </th>
            <th scope="col" className={HEAD}>
              Verdict
            </th>
          </tr>
        </thead>
        <tbody>
          {data.outputs.slice(0, OUTPUTS_MAX).map(({ name, verdict, rule, note }) => (
            <tr key={name} className="border-b border-line">
              <td className="px-3 py-1.5 wrap-anywhere">{name}</td>
              <td className="px-3 py-1.5">
                <span className={verdict === "different" ? "font-medium text-bad" : ""}>{verdict}</span>
                {(rule ?? note) && (
                  <span className="block text-muted">{rule ? `by the rule ${rule}` : note}</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="flex flex-wrap items-center gap-3 px-4 py-3 text-sm text-muted">
        {more > 0 && <span>and {more.toLocaleString()} more.</span>}
        <FileLink address={runAddress(run, "verification/certificate")} download className={buttonClass()}>
          Certificate
        </FileLink>
      </p>
    </>
  );
}
