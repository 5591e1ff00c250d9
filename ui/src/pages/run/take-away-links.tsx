import { FileText, PackageOpen } from "lucide-react";
import { runAddress } from "../../api/client.ts";
import { isOver, type RunStatus } from "../../api/asks.ts";
import { buttonClass } from "../../parts/button.tsx";
import { FileLink } from "../../parts/file-link.tsx";

/** Opens the report on a run in a tab of its own, where the browser can print or save it. */
export function ReportLink({ id }: { readonly id: string }) {
  return (
    <FileLink address={runAddress(id, "report")} target="_blank" rel="noreferrer" className={buttonClass()}>
      <FileText size={15} aria-hidden /> <span className="sr-only sm:not-sr-only">Report</span>
    </FileLink>
  );
}

/** Saves the crate of a run that is over. */
export function CrateLink({ run }: { readonly run: { readonly id: string; readonly status: RunStatus } }) {
  if (!isOver(run.status)) return null;
  return (
    <FileLink address={runAddress(run.id, "crate")} download className={buttonClass()}>
      <PackageOpen size={15} aria-hidden /> <span className="sr-only sm:not-sr-only">Crate</span>
    </FileLink>
  );
}
