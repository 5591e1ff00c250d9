import { Link } from "wouter";
import type { RunRecord } from "../../api/run-asks.ts";

/** Leads to the runs before and after a restart, and says which of them the files are of. */
export function RunAttempts({ run }: { readonly run: RunRecord }) {
  const { restart_of: before, restarted_as: after } = run;
  if (!before && !after) return null;
  return (
    <p className="-mt-1 mb-3 text-sm text-muted wrap-anywhere">
      {before && (
        <>
          {"Restart of "}
          <RunLink run={before} />
          {", in the same workspace. "}
        </>
      )}
      {after && (
        <>
          {"This run was restarted as "}
          <RunLink run={after} />
          {": the files shown are of that run."}
        </>
      )}
    </p>
  );
}

interface RunLinkProps {
  readonly run: { readonly workflow_id: string; readonly workflow_name: string };
}

function RunLink({ run }: RunLinkProps) {
  return (
    <Link href={`/runs/${run.workflow_id}`} className="font-medium text-accent underline">
      {run.workflow_name}
    </Link>
  );
}
