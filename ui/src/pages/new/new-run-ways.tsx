import { useMutation } from "@tanstack/react-query";
import { type ReactNode, Suspense } from "react";
import { useLocation } from "wouter";
import { launchRun, lookAgain } from "../../api/changes.ts";
import { Button } from "../../parts/button.tsx";
import { Trouble } from "../../parts/notes.tsx";
import { createFromFiles, UnusableSpecification } from "./create-from-files.ts";
import { DropZone } from "./drop-zone.tsx";
import { EXAMPLES } from "./examples.ts";
import { RepositoryForm } from "./repository-form.tsx";
import { later } from "../../parts/later.ts";

const YamlText = later(async () => (await import("../../parts/yaml-text.tsx")).YamlText);

/** Three ways to a run: what is dropped here, a repository, an example. */
export function NewRunWays() {
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

interface WayProps {
  readonly title: string;
  readonly note: string;
  readonly children: ReactNode;
}

function Way({ title, note, children }: WayProps) {
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
