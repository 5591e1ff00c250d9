import { duration } from "../../parts/times.ts";
import { Heads } from "./column-heads.tsx";

interface Totals {
  readonly jobs?: number;
  readonly wall_ms?: number | null;
}

interface Step {
  readonly step: string;
  readonly a: Totals | null;
  readonly b: Totals | null;
}

interface StepDurationsProps {
  readonly steps: readonly Step[];
  /** Names of the runs. */
  readonly a: string;
  readonly b: string;
}

/** Draws how long each step took in each run. */
export function StepDurations({ steps, a, b }: StepDurationsProps) {
  const longest = Math.max(1, ...steps.flatMap((one) => [one.a?.wall_ms ?? 0, one.b?.wall_ms ?? 0]));
  return (
    <table className="w-full text-sm">
      <Heads names={["Step", a, b]} />
      <tbody>
        {steps.map((step) => (
          <tr key={step.step} className="border-b border-line last:border-0">
            <td className="px-4 py-1.5">{step.step}</td>
            {[step.a, step.b].map((totals, index) => (
              <td key={index} className="w-[35%] px-3 py-1.5">
                <Bar ms={totals?.wall_ms ?? null} longest={longest} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Bar({ ms, longest }: { readonly ms: number | null; readonly longest: number }) {
  if (ms === null) return <span className="text-muted">–</span>;
  return (
    <span className="grid items-center gap-x-2 sm:grid-cols-[minmax(0,1fr)_5rem]">
      <span aria-hidden className="h-2 rounded-sm bg-live" style={{ width: `${(100 * ms) / longest}%` }} />
      <span className="whitespace-nowrap text-muted">{duration(ms)}</span>
    </span>
  );
}
