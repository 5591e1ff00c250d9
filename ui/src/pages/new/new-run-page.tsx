import { useMutation } from "@tanstack/react-query";
import { FolderUp } from "lucide-react";
import { type DragEvent, type FormEvent, lazy, type ReactNode, Suspense, useRef, useState } from "react";
import { useLocation } from "wouter";
import { launchRun, lookAgain } from "../../api/changes.ts";
import { Button } from "../../parts/button.tsx";
import { type DroppedFile, droppedFiles } from "../../parts/dropped-files.ts";
import { Trouble } from "../../parts/notes.tsx";
import { PageTitle } from "../../parts/page-title.tsx";
import { createFromFiles, UnusableSpecification } from "./create-from-files.ts";
import { EXAMPLES } from "./examples.ts";

const YamlText = lazy(async () => ({ default: (await import("../../parts/yaml-text.tsx")).YamlText }));

/** Three ways to a run: what is dropped here, a repository, an example. */
export function NewRunPage() {
  const [, navigate] = useLocation();
  const show = async (id: string) => {
    navigate(`/runs/${id}`);
    await lookAgain();
  };
  const create = useMutation({ mutationFn: createFromFiles, onSuccess: show });
  const launch = useMutation({
    mutationFn: launchRun,
    onSuccess: ({ workflow_id: id }) => show(id),
  });
  return (
    <>
      <PageTitle title="New run" />
      {(create.error ?? launch.error) && (
        <div className="mb-4 space-y-3">
          <Trouble error={create.error ?? launch.error} />
          {create.error instanceof UnusableSpecification && (
            <Suspense>
              <YamlText label="Specification" text={create.error.text} marks={create.error.marks} />
            </Suspense>
          )}
        </div>
      )}
      <div className="grid gap-4 lg:grid-cols-2">
        <Way
          title="From a folder or a reana.yaml"
          note="Everything in the folder is uploaded. You start the run when you like."
        >
          <DropZone isBusy={create.isPending} onFiles={(files) => create.mutate(files)} />
        </Way>
        <div className="min-w-0 space-y-4">
          <Way
            title="From a repository"
            note="Its reana.yaml is read, its files are fetched, and the run starts."
          >
            <RepositoryForm isBusy={launch.isPending} onSubmit={(url) => launch.mutate({ url })} />
          </Way>
          <Way title="From an example" note="Small analyses that need nothing but a shell.">
            <div className="flex flex-wrap gap-2">
              {EXAMPLES.map(({ name, files }) => (
                <Button key={name} disabled={create.isPending} onClick={() => create.mutate(files())}>
                  {name}
                </Button>
              ))}
            </div>
          </Way>
        </div>
      </div>
    </>
  );
}

function Way({
  title,
  note,
  children,
}: {
  readonly title: string;
  readonly note: string;
  readonly children: ReactNode;
}) {
  return (
    <section className="flex min-w-0 flex-col gap-3 rounded-lg border border-line bg-surface p-5">
      <div>
        <h2 className="text-lg font-semibold">{title}</h2>
        <p className="text-muted">{note}</p>
      </div>
      {children}
    </section>
  );
}

interface DropZoneProps {
  readonly isBusy: boolean;
  readonly onFiles: (files: readonly DroppedFile[]) => void;
}

function DropZone({ isBusy, onFiles }: DropZoneProps) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void droppedFiles(event.dataTransfer).then(onFiles);
  };
  return (
    <div
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={`grid min-h-48 flex-1 place-items-center rounded-lg border-2 border-dashed p-6 text-center ${
        isOver ? "border-accent bg-tint" : "border-line"
      }`}
    >
      <div className="space-y-3">
        <FolderUp size={32} aria-hidden className="mx-auto text-muted" />
        <p>{isBusy ? "Uploading …" : "Drop a folder or a reana.yaml here"}</p>
        <Button disabled={isBusy} onClick={() => input.current?.click()}>
          Choose a reana.yaml
        </Button>
        <input
          ref={input}
          type="file"
          multiple
          aria-label="reana.yaml and its files"
          className="hidden"
          onChange={({ target }) =>
            onFiles([...(target.files ?? [])].map((file) => ({ path: file.name, file })))
          }
        />
      </div>
    </div>
  );
}

function RepositoryForm({
  isBusy,
  onSubmit,
}: {
  readonly isBusy: boolean;
  readonly onSubmit: (url: string) => void;
}) {
  const [url, setUrl] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit(url.trim());
  };
  return (
    <form onSubmit={submit} className="flex flex-wrap gap-2">
      <input
        type="url"
        required
        aria-label="Address of a Git repository"
        placeholder="https://github.com/…"
        value={url}
        onChange={(event) => setUrl(event.target.value)}
        className="h-8 min-w-0 flex-1 basis-44 rounded-md border border-line bg-canvas px-3 placeholder:text-muted"
      />
      <Button type="submit" look="main" disabled={isBusy}>
        {isBusy ? "Fetching …" : "Fetch and start"}
      </Button>
    </form>
  );
}
