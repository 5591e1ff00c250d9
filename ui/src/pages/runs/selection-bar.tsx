import { useMutation } from "@tanstack/react-query";
import { Link } from "wouter";
import { act, lookAgain, type RunAction } from "../../api/changes.ts";
import { Button, buttonClass } from "../../parts/button.tsx";
import { sentenceOf } from "../../parts/notes.tsx";
import type { Selection } from "./use-selection.ts";

const ACTIONS = [
  ["start", "Start"],
  ["stop", "Stop"],
  ["restart", "Restart"],
  ["delete", "Delete"],
] as const;

/** Carries out one action on all selected runs, and says which of them were refused. */
export function SelectionBar({ selection }: { readonly selection: Selection }) {
  const { runs } = selection;
  const [older, newer] = runs.toReversed().toSorted((one, other) => one.created.localeCompare(other.created));
  const work = useMutation({
    mutationFn: (action: RunAction) => Promise.allSettled(runs.map((run) => act(run.id, action))),
    onSettled: async () => {
      selection.clear();
      await lookAgain();
    },
  });
  const refusals = (work.data ?? []).filter((result) => result.status === "rejected");
  if (runs.length === 0 && refusals.length === 0) return null;
  return (
    <div className="mb-2 flex flex-wrap items-center gap-2 rounded-lg border border-line bg-tint px-3 py-2">
      {runs.length > 0 && (
        <>
          <span className="mr-2 font-medium">{runs.length} selected</span>
          {ACTIONS.map(([action, name]) => (
            <Button
              key={action}
              disabled={work.isPending}
              look={action === "delete" ? "danger" : "plain"}
              onClick={() => work.mutate(action)}
            >
              {name}
            </Button>
          ))}
          {older && newer && runs.length === 2 && (
            <Link href={`/compare?a=${older.id}&b=${newer.id}`} className={buttonClass("plain")}>
              Compare
            </Link>
          )}
          <Button look="quiet" onClick={selection.clear}>
            Clear
          </Button>
        </>
      )}
      {refusals.length > 0 && (
        <ul role="alert" className="w-full text-bad">
          {refusals.map(({ reason }) => (
            <li key={sentenceOf(reason)}>{sentenceOf(reason)}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
