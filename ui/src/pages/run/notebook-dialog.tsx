import { useMutation, useQuery } from "@tanstack/react-query";
import { ExternalLink } from "lucide-react";
import { type FormEvent, useState } from "react";
import { closeNotebook, lookAgain, openNotebook } from "../../api/changes.ts";
import { abilities, notebook } from "../../api/run-asks.ts";
import { Button, buttonClass } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Trouble } from "../../parts/notes.tsx";
import { Waiting } from "../../parts/waiting.tsx";

interface NotebookDialogProps {
  readonly id: string;
  readonly name: string;
  readonly onClose: () => void;
}

/** Opens JupyterLab on the files of a run, links to it, and closes it. */
export function NotebookDialog({ id, name, onClose }: NotebookDialogProps) {
  const { data: address, error } = useQuery(notebook(id));
  return (
    <Dialog title={`Notebook of ${name}`} onClose={onClose}>
      <div className="space-y-4">
        <p className="text-muted">
          JupyterLab on the files of this run. A file changed in the notebook is changed in the run.
        </p>
        {error && <Trouble error={error} />}
        {address === undefined && !error && <Waiting lines={1} />}
        {address === null && <OpenForm id={id} />}
        {address && <OpenNotebook id={id} address={address} />}
      </div>
    </Dialog>
  );
}

function OpenForm({ id }: { readonly id: string }) {
  const { data } = useQuery(abilities);
  const [image, setImage] = useState("");
  const open = useMutation({ mutationFn: () => openNotebook(id, image.trim()), onSettled: lookAgain });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    open.mutate();
  };
  return (
    <form onSubmit={submit} className="space-y-4">
      {data?.interactive_sessions_custom_image_allowed.value === "True" && (
        <label className="block space-y-1">
          <span className="font-medium">Image</span>
          <input
            value={image}
            placeholder="The server's own JupyterLab"
            onChange={(event) => setImage(event.target.value)}
            className="h-9 w-full rounded-md border border-line bg-canvas px-3 font-mono text-sm placeholder:font-sans placeholder:text-muted"
          />
        </label>
      )}
      {open.error && <Trouble error={open.error} />}
      <div className="flex justify-end">
        <Button type="submit" look="main" disabled={open.isPending}>
          {open.isPending ? "Opening …" : "Open a notebook"}
        </Button>
      </div>
    </form>
  );
}

/**
 * Links to the notebook. The address contains a secret that signs the browser in, and has a separate origin,
 * away from this page's session.
 */
function OpenNotebook({ id, address }: { readonly id: string; readonly address: string }) {
  const { data } = useQuery(abilities);
  const days = data?.maximum_interactive_session_inactivity_period.value;
  const close = useMutation({ mutationFn: () => closeNotebook(id), onSuccess: lookAgain });
  return (
    <>
      <p>
        It is open{days ? `, and closes after ${days} ${days === "1" ? "day" : "days"} without use` : ""}.
      </p>
      {close.error && <Trouble error={close.error} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button look="danger" disabled={close.isPending} onClick={() => close.mutate()}>
          {close.isPending ? "Closing …" : "Close the notebook"}
        </Button>
        <a href={address} target="_blank" rel="noreferrer" className={buttonClass("main")}>
          Go to the notebook <ExternalLink size={14} aria-hidden />
        </a>
      </div>
    </>
  );
}
