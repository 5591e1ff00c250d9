import type { ShadowKind, Shadows } from "../../api/admin-asks.ts";
import { Part } from "../../parts/part.tsx";
import { counted } from "../../parts/words.ts";

const TITLES: Readonly<Record<ShadowKind, string>> = {
  status: "Other status",
  outputs: "Other outputs",
  words: "Other words of a failure",
  duration: "Other duration",
  refused: "Refused by the other server",
  "not-compared": "Not compared",
  same: "Same result",
};

/** Groups the compared runs by what differs. */
export function DifferencesPart({ causes }: Pick<Shadows, "causes">) {
  const kinds = Object.keys(TITLES) as ShadowKind[];
  const groups = kinds
    .map((kind) => ({ kind, causes: causes.filter((one) => one.kind === kind) }))
    .filter((group) => group.causes.length > 0);
  return (
    <Part title="What differs" note="Runs that have ended on both servers, by the first difference.">
      {groups.length === 0 && <p className="px-4 py-3 text-muted">No run has been compared yet.</p>}
      <div tabIndex={0} role="group" aria-label="Differences" className="max-h-96 overflow-y-auto">
        {groups.map((group) => (
          <section key={group.kind} className="border-b border-line px-4 py-2.5 last:border-0">
            <h3 className="flex gap-4 font-medium">
              <span className={`min-w-0 flex-1 ${group.kind === "same" ? "text-good" : ""}`}>
                {TITLES[group.kind]}
              </span>
              <span className="text-muted tabular-nums">{counted(sumOf(group.causes), "run")}</span>
            </h3>
            {group.kind !== "same" && <Causes causes={group.causes} />}
          </section>
        ))}
      </div>
    </Part>
  );
}

function Causes({ causes }: Pick<Shadows, "causes">) {
  return (
    <ul className="text-sm text-muted">
      {causes.map(({ cause, runs }) => (
        <li key={cause} className="flex gap-4 py-0.5">
          <span className="min-w-0 flex-1 wrap-anywhere">{cause}</span>
          <span className="tabular-nums">{runs.toLocaleString()}</span>
        </li>
      ))}
    </ul>
  );
}

function sumOf(causes: Shadows["causes"]): number {
  return causes.reduce((sum, { runs }) => sum + runs, 0);
}
