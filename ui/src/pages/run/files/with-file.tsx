import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { fileStart } from "../../../api/run-asks.ts";
import { Trouble } from "../../../parts/notes.tsx";
import { Waiting } from "../../../parts/waiting.tsx";

interface WithFileProps {
  readonly run: string;
  readonly name: string;
  readonly children: (text: string) => ReactNode;
}

/** Reads the beginning of a file, and shows a note if the file is longer. */
export function WithFile({ run, name, children }: WithFileProps) {
  const { data, error } = useQuery(fileStart(run, name));
  if (error) return <Trouble error={error} />;
  if (!data) return <Waiting />;
  if (data.text === "") return <p className="p-4 text-muted">The file is empty.</p>;
  return (
    <>
      {children(data.text)}
      {data.isCut && (
        <p className="border-t border-line px-4 py-2 text-sm text-muted">Only the beginning is shown.</p>
      )}
    </>
  );
}
