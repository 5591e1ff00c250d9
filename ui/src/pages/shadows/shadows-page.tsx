import { useQuery } from "@tanstack/react-query";
import { shadows, type Shadows } from "../../api/admin-asks.ts";
import { Empty, Trouble } from "../../parts/notes.tsx";
import { PageTitle } from "../../parts/page-title.tsx";
import { Time } from "../../parts/time.tsx";
import { WaitingPage } from "../../parts/waiting.tsx";
import { CopiesPart } from "./copies-part.tsx";
import { DifferencesPart } from "./differences-part.tsx";
import { MoversPart } from "./movers-part.tsx";

/** Compares runs with their copies on another server: the user's own, or of all users for the administrator. */
export function ShadowsPage() {
  const { data, error } = useQuery(shadows);
  if (error) return <Trouble error={error} />;
  if (!data) return <WaitingPage />;
  const { server, problems, causes, users, runs } = data;
  return (
    <>
      <PageTitle
        title="Runs on both servers"
        note={server !== null && `Each run that is started here also runs on ${server}.`}
      />
      {server === null && runs.length === 0 ? (
        <Empty title="No run is sent to another server.">
          The setting --shadow-of names the server that each started run is also sent to.
        </Empty>
      ) : (
        <div className="space-y-4">
          <Problems problems={problems} />
          <div className="grid items-start gap-4 lg:grid-cols-2">
            <DifferencesPart causes={causes} />
            <MoversPart users={users} />
          </div>
          <CopiesPart runs={runs} />
        </div>
      )}
    </>
  );
}

/** Says why the other server cannot be reached. Runs here do not wait for it. */
function Problems({ problems }: Pick<Shadows, "problems">) {
  return (
    <div role="status" aria-live="polite" className="space-y-2">
      {problems.map(({ problem, runs, next }) => (
        <p key={problem} className="rounded-lg border border-wait/40 bg-tint px-4 py-3 wrap-anywhere">
          {problem} {runs === 1 ? "One run waits" : `${runs.toLocaleString()} runs wait`} to be sent or
          compared, next attempt <Time at={next} />. Nothing here is delayed.
        </p>
      ))}
    </div>
  );
}
