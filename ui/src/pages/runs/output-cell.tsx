import { useMemo } from "react";
import { Link } from "wouter";
import type { Run } from "../../api/asks.ts";
import { fileAddress } from "../../api/client.ts";
import { signedAddress } from "../../api/signed-address.ts";
import type { Cell } from "./output-columns.ts";

interface OutputCellProps {
  readonly run: Pick<Run, "id" | "name">;
  readonly cell: Cell | undefined;
}

export function OutputCell({ run, cell }: OutputCellProps) {
  if (!cell) return <span className="text-muted">–</span>;
  if (cell.picture !== undefined) return <Thumbnail run={run} name={cell.picture} />;
  return <span className="font-mono text-xs leading-5 wrap-anywhere">{cell.text}</span>;
}

/** Shows a small picture that links to the file. */
function Thumbnail({ run, name }: { readonly run: OutputCellProps["run"]; readonly name: string }) {
  const address = useMemo(() => signedAddress(`${fileAddress(run.id, name)}?preview=true`), [run.id, name]);
  return (
    <Link href={`/runs/${run.id}/files?file=${encodeURIComponent(name)}`} className="block w-28">
      <img
        src={address}
        loading="lazy"
        decoding="async"
        alt={`${name} of ${run.name}`}
        className="h-16 w-28 rounded border border-line bg-white object-contain"
      />
    </Link>
  );
}
