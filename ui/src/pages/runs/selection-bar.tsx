import { Suspense, useState } from "react";
import { Link } from "wouter";
import { allMatches, type RunsWanted } from "../../api/asks.ts";
import { Ask } from "../../parts/ask.tsx";
import { Button, buttonClass } from "../../parts/button.tsx";
import { useCommands } from "../../parts/commands.ts";
import { counted } from "../../parts/words.ts";
import { OutcomeLines } from "./outcome-lines.tsx";
import { type ManyWork, useManyRuns } from "./use-many-runs.ts";
import type { Selection } from "./use-selection.ts";
import { later } from "../../parts/later.ts";

const RestartMany = later(async () => (await import("./restart-many.tsx")).RestartMany);

interface SelectionBarProps {
  readonly selection: Selection;
  readonly wanted: RunsWanted;
  readonly total: number;
}

/**
 * Bulk actions on the selected runs. The bar stays on screen below the list, so that rows do not move under
 * the pointer.
 */
export function SelectionBar({ selection, wanted, total }: SelectionBarProps) {
  const { runs, isEverything } = selection;
  const [asked, ask] = useState<"delete" | "restart">();
  const close = () => ask(undefined);
  const find = async () => (isEverything ? await allMatches(wanted) : runs);
  const work = useManyRuns(find, () => {
    close();
    selection.clear();
  });
  const count = isEverything ? total : runs.length;
  const { done, outcome } = work;
  if (count === 0 && !outcome) return null;
  return (
    <div className="sticky bottom-3 z-10 mt-2 flex flex-wrap items-center gap-2 rounded-lg border border-line bg-tint px-3 py-2 shadow-lg">
      {count > 0 && (
        <>
          <span className="mr-2 font-medium">
            {done === undefined ? `${count.toLocaleString()} selected` : `${done} of ${count} done`}
          </span>
          {selection.isAll && !isEverything && total > runs.length && (
            <Button look="quiet" onClick={selection.selectEverything}>
              Select all {total.toLocaleString()}
            </Button>
          )}
          <Actions work={work} onAsk={ask} />
          <CompareLink selection={selection} />
          <Button look="quiet" onClick={selection.clear}>
            Clear
          </Button>
        </>
      )}
      {count === 0 && outcome && <OutcomeLines outcome={outcome} onClose={work.forget} />}
      {asked === "delete" && (
        <Ask
          title={`Delete ${counted(count, "run")}?`}
          verb="Delete"
          isDangerous
          work={work.remove}
          onClose={close}
        >
          The files of a workspace go with its last run.
        </Ask>
      )}
      {asked === "restart" && (
        <Suspense>
          <RestartMany runs={runs} count={count} work={work} onClose={close} />
        </Suspense>
      )}
    </div>
  );
}

interface ActionsProps {
  readonly work: ManyWork;
  readonly onAsk: (action: "delete" | "restart") => void;
}

function Actions({ work, onAsk }: ActionsProps) {
  const isBusy = work.done !== undefined;
  useCommands(
    isBusy
      ? []
      : [
          { name: "Start the selected runs", run: () => work.run("start") },
          { name: "Stop the selected runs", run: () => work.run("stop") },
          { name: "Restart the selected runs", run: () => onAsk("restart") },
          { name: "Delete the selected runs", run: () => onAsk("delete") },
        ],
  );
  return (
    <>
      <Button disabled={isBusy} onClick={() => work.run("start")}>
        Start
      </Button>
      <Button disabled={isBusy} onClick={() => work.run("stop")}>
        Stop
      </Button>
      <Button disabled={isBusy} onClick={() => onAsk("restart")}>
        Restart …
      </Button>
      <Button disabled={isBusy} look="danger" onClick={() => onAsk("delete")}>
        Delete …
      </Button>
    </>
  );
}

function CompareLink({ selection: { runs, isEverything } }: { readonly selection: Selection }) {
  const [older, newer] = runs.toReversed().toSorted((one, other) => one.created.localeCompare(other.created));
  if (!older || !newer || runs.length !== 2 || isEverything) return null;
  return (
    <Link href={`/compare?a=${older.id}&b=${newer.id}`} className={buttonClass("plain")}>
      Compare
    </Link>
  );
}
