import { useMutation, useQuery } from "@tanstack/react-query";
import { drain, load } from "../../api/admin-asks.ts";
import { lookAgain, setDraining } from "../../api/changes.ts";
import { Button } from "../../parts/button.tsx";
import { useCommands } from "../../parts/commands.ts";
import { Trouble } from "../../parts/notes.tsx";
import { PageTitle } from "../../parts/page-title.tsx";
import { Part } from "../../parts/part.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { AuditPart } from "./audit-part.tsx";
import { BackendsPart } from "./backends-part.tsx";
import { HostsPart } from "./hosts-part.tsx";
import { LiveRunsPart } from "./live-runs-part.tsx";
import { OtherServerPart } from "../shadows/other-server-part.tsx";
import { PoliciesPart } from "./policies-part.tsx";
import { SettingsPart } from "./settings-part.tsx";
import { StoragePart } from "./storage-part.tsx";
import { UsagePart } from "./usage-part.tsx";
import { UsersPart } from "./users-part.tsx";

/** The administrator's page. */
export function AdminPage() {
  return (
    <>
      <PageTitle title="Server" />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <LoadPart />
        <HostsPart />
        <div className="min-w-0 lg:col-span-2">
          <LiveRunsPart />
        </div>
        <div className="lg:col-span-2">
          <UsersPart />
        </div>
        <div className="min-w-0 lg:col-span-2">
          <UsagePart />
        </div>
        <div className="lg:col-span-2">
          <PoliciesPart />
        </div>
        <OtherServerPart />
        <StoragePart />
        <BackendsPart />
        <SettingsPart />
        <div className="min-w-0 lg:col-span-2">
          <AuditPart />
        </div>
      </div>
    </>
  );
}

const DRAINING = {
  no: "Queued runs start as there is room.",
  finishing: "Drained: no queued run starts, and running ones continue.",
  "handed-over": "Drained: no run is driven. Their jobs continue, and the next server resumes the runs.",
} as const;

function LoadPart() {
  const { data, error } = useQuery(load);
  const { data: state } = useQuery(drain);
  const change = useMutation({ mutationFn: setDraining, onSuccess: lookAgain });
  const isDrained = state !== undefined && state.draining !== "no";
  const verb = isDrained ? "End the drain" : "Drain";
  useCommands(state ? [{ name: verb, run: () => change.mutate(!isDrained) }] : []);
  return (
    <Part
      title="Work"
      {...(state && { note: DRAINING[state.draining] })}
      aside={
        state && (
          <Button disabled={change.isPending} onClick={() => change.mutate(!isDrained)}>
            {verb}
          </Button>
        )
      }
    >
      {(error ?? change.error) && <Trouble error={error ?? change.error} />}
      {!data && !error && <Waiting lines={3} />}
      {data && (
        <dl className="grid grid-cols-2 gap-px bg-line sm:grid-cols-4">
          <Figure name="runs running" value={data.workflow.running + data.workflow.pending} />
          <Figure name="runs queued" value={data.workflow.queued} />
          <Figure name="jobs running" value={data.job.running} />
          <Figure name="jobs waiting" value={data.job.pending} />
        </dl>
      )}
    </Part>
  );
}

function Figure({ name, value }: { readonly name: string; readonly value: number }) {
  return (
    <div className="flex flex-col-reverse bg-surface px-4 py-3">
      <dt className="text-sm text-muted">{name}</dt>
      <dd className="text-xl font-semibold tabular-nums">{value.toLocaleString()}</dd>
    </div>
  );
}
