import { useMutation, useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { session } from "../../api/asks.ts";
import { queryCache } from "../../api/cache.ts";
import { publishRun } from "../../api/changes.ts";
import { type Publication, publication, type RunRecord } from "../../api/run-asks.ts";
import { Ask } from "../../parts/ask.tsx";
import { Button } from "../../parts/button.tsx";
import { later } from "../../parts/later.ts";
import { Part } from "../../parts/part.tsx";

const PublishDialog = later(async () => (await import("./publish-dialog.tsx")).PublishDialog);

/** Publishes a run that has ended, and shows where it is published. */
export function PublicationPart({ run }: { readonly run: RunRecord }) {
  const { data: user } = useQuery(session);
  const { data } = useQuery(publication(run.id));
  const [asked, ask] = useState<"draft" | "submit">();
  const close = () => ask(undefined);
  const submit = useMutation({
    mutationFn: () => publishRun(run.id, { submit: true }),
    async onSuccess() {
      close();
      await queryCache.invalidateQueries({ queryKey: publication(run.id).queryKey });
    },
  });
  const mayAct = user?.id_ === run.user && data !== undefined;
  return (
    <Part
      title="Publication"
      note="Deposits the crate of the run on Zenodo or a similar server, with a DOI."
      aside={
        mayAct && (
          <>
            {(data.state === "none" || data.state === "failed") && (
              <Button onClick={() => ask("draft")}>Make a draft</Button>
            )}
            {data.state === "draft" && <Button onClick={() => ask("submit")}>Publish the draft</Button>}
          </>
        )
      }
    >
      <div className="space-y-2 px-4 py-3 text-sm" aria-live="polite">
        {data && <State data={data} />}
      </div>
      <Suspense>{asked === "draft" && <PublishDialog run={run} known={data} onClose={close} />}</Suspense>
      {asked === "submit" && (
        <Ask title={`Publish ${run.name}?`} verb="Publish" work={submit} onClose={close}>
          A published record cannot be taken back.
        </Ask>
      )}
    </Part>
  );
}

const SENTENCES: Readonly<Record<Publication["state"], string>> = {
  none: "Not published.",
  sending: "Being sent …",
  draft: "A draft, which is not public.",
  published: "Published.",
  failed: "Not published:",
};

function State({ data }: { readonly data: Publication }) {
  const { state, url, doi, problem, citation } = data;
  return (
    <>
      <p className="wrap-anywhere">
        {SENTENCES[state]}
        {problem && <span className={state === "failed" ? "text-bad" : "text-muted"}> {problem}</span>}
      </p>
      {url && (
        <p className="wrap-anywhere">
          <a href={url} target="_blank" rel="noreferrer" className="text-accent hover:underline">
            {url}
          </a>
        </p>
      )}
      {doi && (
        <p className="wrap-anywhere">
          DOI{state === "published" ? "" : ", reserved"}: {doi}
        </p>
      )}
      {citation && state !== "none" && <p className="text-muted wrap-anywhere">{citation}</p>}
    </>
  );
}
