import { useQuery } from "@tanstack/react-query";
import { ChartNoAxesGantt, NotebookText, Tag, Users } from "lucide-react";
import { Suspense, useState } from "react";
import { session } from "../../api/asks.ts";
import { oneJob, type RunRecord, specification } from "../../api/run-asks.ts";
import { Button } from "../../parts/button.tsx";
import { useCommands } from "../../parts/commands.ts";
import { later } from "../../parts/later.ts";

const ShareDialog = later(async () => (await import("./share-dialog.tsx")).ShareDialog);
const DashboardDialog = later(async () => (await import("./dashboard-dialog.tsx")).DashboardDialog);
const NotebookDialog = later(async () => (await import("./notebook-dialog.tsx")).NotebookDialog);

const NotesDialog = later(async () => (await import("./notes-dialog.tsx")).NotesDialog);

const ACTIONS = [
  ["notes", "Note", Tag, "Note and tag this run"],
  ["notebook", "Notebook", NotebookText, "Open a notebook on this run"],
  ["share", "Share", Users, "Share this run"],
] as const;

const DASHBOARD = ["dask", "Dask", ChartNoAxesGantt, "Open the Dask dashboard of this run"] as const;

/** Opens the dialogs for the notebook, the Dask cluster and the readers of a run. Only the owner may use them. */
export function OwnerActions({ run }: { readonly run: RunRecord }) {
  const { data: user } = useQuery(session);
  const [asked, ask] = useState<(typeof ACTIONS)[number][0] | "dask">();
  const isOwner = user?.id_ === run.user;
  const hasCluster = useHasCluster(run, isOwner);
  const all = hasCluster ? [DASHBOARD, ...ACTIONS] : ACTIONS;
  useCommands(isOwner ? all.map(([action, , , name]) => ({ name, run: () => ask(action) })) : []);
  if (!isOwner) return null;
  const dialog = { id: run.id, name: run.name, onClose: () => ask(undefined) };
  return (
    <>
      {all.map(([action, name, Icon]) => (
        <Button key={action} onClick={() => ask(action)}>
          <Icon size={15} aria-hidden /> <span className="sr-only sm:not-sr-only">{name}</span>
        </Button>
      ))}
      <Suspense>
        {asked === "dask" && <DashboardDialog {...dialog} />}
        {asked === "notebook" && <NotebookDialog {...dialog} />}
        {asked === "notes" && <NotesDialog {...dialog} />}
        {asked === "share" && <ShareDialog {...dialog} />}
      </Suspense>
    </>
  );
}

/** Returns whether the scheduler of a Dask cluster runs. Asks only about runs whose specification names a cluster. */
function useHasCluster({ id, status }: RunRecord, isOwner: boolean): boolean {
  const mayHave = isOwner && status === "running";
  const { data: defined } = useQuery({ ...specification(id), enabled: mayHave });
  const { resources } = (defined?.specification.workflow ?? {}) as {
    readonly resources?: { dask?: unknown };
  };
  const isAsked = mayHave && resources?.dask !== undefined;
  const { data: scheduler } = useQuery({ ...oneJob(id, { key: "dask:scheduler" }), enabled: isAsked });
  return isAsked && scheduler?.status === "running";
}
