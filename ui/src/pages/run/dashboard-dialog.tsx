import { useQuery } from "@tanstack/react-query";
import { ExternalLink } from "lucide-react";
import { dashboard } from "../../api/run-asks.ts";
import { buttonClass } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Trouble } from "../../parts/notes.tsx";
import { Waiting } from "../../parts/waiting.tsx";

interface DashboardDialogProps {
  readonly id: string;
  readonly name: string;
  readonly onClose: () => void;
}

/**
 * Links to the dashboard of a Dask cluster. The address contains a secret that signs the browser in, and has a separate
 * origin, away from this page's session.
 */
export function DashboardDialog({ id, name, onClose }: DashboardDialogProps) {
  const { data: address, error } = useQuery(dashboard(id));
  return (
    <Dialog title={`Dask dashboard of ${name}`} onClose={onClose}>
      <div className="space-y-4">
        <p className="text-muted">The tasks, workers and memory of the cluster, until the cluster ends.</p>
        {error && <Trouble error={error} />}
        {address === undefined && !error && <Waiting lines={1} />}
        {address !== undefined && (
          <div className="flex justify-end">
            <a href={address} target="_blank" rel="noreferrer" className={buttonClass("main")}>
              Go to the dashboard <ExternalLink size={14} aria-hidden />
            </a>
          </div>
        )}
      </div>
    </Dialog>
  );
}
