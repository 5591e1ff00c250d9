import { useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { Link } from "wouter";
import { isLive } from "../../api/asks.ts";
import { isRefusal } from "../../api/client.ts";
import { failure, notes, run } from "../../api/run-asks.ts";
import { useLiveRun } from "../../api/live-run.ts";
import { Empty, Trouble } from "../../parts/notes.tsx";
import { PageTitle } from "../../parts/page-title.tsx";
import { RunMarks } from "../../parts/run-marks.tsx";
import { StatusMark } from "../../parts/status-mark.tsx";
import { Waiting, WaitingPage } from "../../parts/waiting.tsx";
import { CrateLink, ReportLink } from "./take-away-links.tsx";
import { RunActions } from "./run-actions.tsx";
import { OwnerActions } from "./owner-actions.tsx";
import { RunAttempts } from "./run-attempts.tsx";
import { RunPace } from "./run-pace.tsx";
import { RunTabs } from "./run-tabs.tsx";
import { RunView } from "./run-view.tsx";
import { RunSentence } from "./run-sentence.tsx";

interface RunPageProps {
  readonly id: string;
  readonly tab: string;
}

/** The total height above and below a view, which fills the rest of the window. */
const ABOVE = { usual: "[--above:16rem]", failed: "[--above:19.25rem]" } as const;

export function RunPage({ id, tab }: RunPageProps) {
  useLiveRun(id);
  const { data, error, refetch, dataUpdatedAt } = useQuery(run(id));
  const why = useQuery({ ...failure(id), enabled: data?.status === "failed" });
  if (isRefusal(error) && !data) return <NoRun reason={error.message} />;
  if (error && !data) return <Trouble error={error} retry={() => void refetch()} />;
  if (!data) return <WaitingPage />;
  return (
    <>
      <PageTitle title={data.name} note={<StatusMark status={data.status} />}>
        <RunActions id={id} name={data.name}>
          <ReportLink id={id} />
          <CrateLink run={data} />
          <OwnerActions run={data} />
        </RunActions>
      </PageTitle>
      <RunSentence run={data} failure={why.data} />
      <RunPace run={data} heardMs={dataUpdatedAt} />
      <RunAttempts run={data} />
      <OwnersNotes id={id} />
      <RunTabs id={id} tab={tab} />
      <div className={data.status === "failed" ? ABOVE.failed : ABOVE.usual}>
        <Suspense fallback={<Waiting />}>
          <RunView id={id} tab={tab} isLive={isLive(data.status)} failedJob={why.data?.job?.id} />
        </Suspense>
      </div>
    </>
  );
}

/** Shows the owner's notes about the run. */
function OwnersNotes({ id }: { readonly id: string }) {
  const { data } = useQuery(notes(id));
  if (!data || (data.note === "" && data.tags.length === 0)) return null;
  return (
    <div className="mb-3">
      <RunMarks note={data.note} tags={data.tags} />
    </div>
  );
}

/** Shown for a run that does not exist, or is not shared with the user. */
function NoRun({ reason }: { readonly reason: string }) {
  return (
    <>
      <PageTitle title="No such run" />
      <Empty title={reason}>
        <Link href="/runs" className="text-accent hover:underline">
          All runs
        </Link>
      </Empty>
    </>
  );
}
