import { useMutation, useQuery } from "@tanstack/react-query";
import { FileSearch } from "lucide-react";
import { useRef } from "react";
import { Link } from "wouter";
import { type LocalFile, origin, type OriginFile, type OriginReply } from "../../api/asks.ts";
import { Button } from "../../parts/button.tsx";
import { chosenFiles, type DroppedFile } from "../../parts/dropped-files.ts";
import { Empty, sentenceOf } from "../../parts/notes.tsx";
import { PageTitle } from "../../parts/page-title.tsx";
import { Part } from "../../parts/part.tsx";
import { useDropTarget } from "../../parts/use-drop-target.ts";
import { Waiting } from "../../parts/waiting.tsx";
import { OriginGraph } from "./origin-graph.tsx";

/** Says which run and which step made a file. The browser computes its checksum; the file is not sent. */
export function OriginPage() {
  const hashing = useMutation({
    mutationFn: async ([first]: readonly DroppedFile[]) => {
      if (!first) throw new Error("Drop a single file, or choose one.");
      const { sha256Of } = await import("../../api/sha256.ts");
      const { name, size } = first.file;
      return { name, bytes: size, sha256: await sha256Of(first.file) };
    },
  });
  return (
    <>
      <PageTitle title="Origin of a file" />
      <FileZone isBusy={hashing.isPending} onFiles={(files) => hashing.mutate(files)} />
      <div className="mt-4 space-y-4" aria-live="polite">
        {hashing.error && <p className="text-bad">{sentenceOf(hashing.error)}</p>}
        {hashing.data && <Found key={`${hashing.data.sha256} ${hashing.data.name}`} {...hashing.data} />}
      </div>
    </>
  );
}

interface FileZoneProps {
  readonly isBusy: boolean;
  readonly onFiles: (files: readonly DroppedFile[]) => void;
}

function FileZone({ isBusy, onFiles }: FileZoneProps) {
  const field = useRef<HTMLInputElement>(null);
  const { isOver, handlers } = useDropTarget(onFiles);
  return (
    <div
      {...handlers}
      className={`grid min-h-40 place-items-center rounded-lg border-2 border-dashed p-6 text-center ${
        isOver ? "border-accent bg-tint" : "border-line"
      }`}
    >
      <div className="space-y-3">
        <FileSearch size={32} aria-hidden className="mx-auto text-muted" />
        <p>{isBusy ? "Reading the file …" : "Drop a file here to find the run that made it"}</p>
        <p className="text-sm text-muted">Its name does not matter, and it does not leave your computer.</p>
        <Button disabled={isBusy} onClick={() => field.current?.click()}>
          Choose a file
        </Button>
        <input
          ref={field}
          type="file"
          aria-label="File whose origin you look for"
          className="hidden"
          onChange={({ target }) => onFiles(chosenFiles(target))}
        />
      </div>
    </div>
  );
}

function Found(file: LocalFile) {
  const { name, sha256 } = file;
  const { data, error } = useQuery(origin(file));
  if (error) return <p className="text-bad">{sentenceOf(error)}</p>;
  if (!data) return <Waiting lines={3} />;
  if (data.items.length === 0) return <NotFound name={name} data={data} />;
  return (
    <>
      <Part title={`Where ${name} comes from`} note={`SHA-256 ${sha256}`}>
        <ul className="divide-y divide-line text-sm">
          {data.items.map((item) => (
            <li key={`${item.workflow_id} ${item.path} ${item.role}`} className="space-y-1 px-4 py-3">
              <Occurrence item={item} />
            </li>
          ))}
        </ul>
        {data.is_cut && <p className="px-4 py-3 text-sm text-muted">More files have this content.</p>}
      </Part>
      {data.chain && (
        <Part
          title="What it was made from"
          {...(!data.chain.is_declared && {
            note: "A serial step declares no inputs of its own: all files that were there are shown.",
          })}
        >
          <OriginGraph chain={data.chain} />
        </Part>
      )}
    </>
  );
}

function NotFound({ name, data }: { readonly name: string; readonly data: OriginReply }) {
  const waiting =
    data.pending_runs > 0
      ? ` ${data.pending_runs} of your runs are still being read: ask again in a moment.`
      : "";
  return (
    <>
      <Empty title={`No run that you may see has a file with the content of ${name}.${waiting}`} />
      {data.nearest.length > 0 && (
        <Part title="Files with the same name">
          <ul className="divide-y divide-line text-sm">
            {data.nearest.map((item) => (
              <li key={`${item.workflow_id} ${item.path}`} className="space-y-1 px-4 py-3">
                <Occurrence item={item} />
              </li>
            ))}
          </ul>
        </Part>
      )}
    </>
  );
}

const PRESENCE = { there: "", changed: ", changed since", gone: ", no longer in the workspace" } as const;

function Occurrence({ item }: { readonly item: OriginFile }) {
  const parameters = Object.entries(item.parameters);
  return (
    <>
      <p className="wrap-anywhere">
        <span className="font-medium">
          {item.inside === null ? item.path : `${item.inside} in ${item.path}`}
        </span>{" "}
        ({item.role}
        {PRESENCE[item.presence]}) of{" "}
        <Link href={`/runs/${item.workflow_id}`} className="text-accent underline">
          {item.workflow_name}
        </Link>
      </p>
      {item.made_by.map((step) => (
        <div key={step.job}>
          <p className="wrap-anywhere">
            Made by{" "}
            <Link href={`/runs/${step.workflow_id}?job=${step.job}`} className="text-accent underline">
              {step.label}
            </Link>
            {step.image_digest && ` in ${step.image} (${step.image_digest})`}
          </p>
          <pre className="mt-1 overflow-x-auto rounded bg-raised px-3 py-2 text-xs" tabIndex={0}>
            {step.display_command}
          </pre>
        </div>
      ))}
      {item.doi && (
        <p className="wrap-anywhere">
          DOI{item.is_published ? "" : ", reserved"}: <Doi doi={item.doi} isPublished={item.is_published} />
        </p>
      )}
      {item.doubt && <p className="text-muted wrap-anywhere">{item.doubt}</p>}
      {parameters.length > 0 && (
        <p className="text-muted wrap-anywhere">
          Parameters: {parameters.map(([name, value]) => `${name} = ${JSON.stringify(value)}`).join(", ")}
        </p>
      )}
    </>
  );
}

/** Shows a DOI, as a link if the DOI leads to a record. */
function Doi({ doi, isPublished }: { readonly doi: string; readonly isPublished: boolean }) {
  if (!isPublished) return doi;
  return (
    <a
      href={`https://doi.org/${doi}`}
      target="_blank"
      rel="noreferrer"
      className="text-accent hover:underline"
    >
      {doi}
    </a>
  );
}
