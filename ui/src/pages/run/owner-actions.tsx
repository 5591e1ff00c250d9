import { useQuery } from "@tanstack/react-query";
import { NotebookText, Tag, Users } from "lucide-react";
import { Suspense, useState } from "react";
import { session } from "../../api/asks.ts";
import type { RunRecord } from "../../api/run-asks.ts";
import { Button } from "../../parts/button.tsx";
import { useCommands } from "../../parts/commands.ts";
import { later } from "../../parts/later.ts";

const ShareDialog = later(async () => (await import("./share-dialog.tsx")).ShareDialog);
const NotebookDialog = later(async () => (await import("./notebook-dialog.tsx")).NotebookDialog);

const NotesDialog = later(async () => (await import("./notes-dialog.tsx")).NotesDialog);

const ACTIONS = [
  ["notes", "Note", Tag, "Note and tag this run"],
  ["notebook", "Notebook", NotebookText, "Open a notebook on this run"],
  ["share", "Share", Users, "Share this run"],
] as const;

/** Opens the dialogs for the notebook and the readers of a run. Only the owner may change them. */
export function OwnerActions({ run }: { readonly run: RunRecord }) {
  const { data: user } = useQuery(session);
  const [asked, ask] = useState<(typeof ACTIONS)[number][0]>();
  const isOwner = user?.id_ === run.user;
  useCommands(isOwner ? ACTIONS.map(([action, , , name]) => ({ name, run: () => ask(action) })) : []);
  if (!isOwner) return null;
  const dialog = { id: run.id, name: run.name, onClose: () => ask(undefined) };
  return (
    <>
      {ACTIONS.map(([action, name, Icon]) => (
        <Button key={action} onClick={() => ask(action)}>
          <Icon size={15} aria-hidden /> <span className="sr-only sm:not-sr-only">{name}</span>
        </Button>
      ))}
      <Suspense>
        {asked === "notebook" && <NotebookDialog {...dialog} />}
        {asked === "notes" && <NotesDialog {...dialog} />}
        {asked === "share" && <ShareDialog {...dialog} />}
      </Suspense>
    </>
  );
}
