import type { StepMemory } from "../../api/run-asks.ts";
import { HEAD } from "../../parts/table.ts";
import { bytesText } from "../../parts/times.ts";

/** Shows the memory of each step: the peak, the limit, and a suggested limit. */
export function MemoryTable({ steps }: { readonly steps: readonly StepMemory[] }) {
  const known = steps.filter((one) => one.limit_bytes !== null || one.peak_bytes !== null);
  if (known.length === 0) return <p className="px-4 py-3 text-muted">No step was measured or limited.</p>;
  const size = (bytes: number | null) => (bytes === null ? "–" : bytesText(bytes));
  return (
    <table className="w-full text-sm">
      <thead>
        <tr>
          <th scope="col" className={HEAD}>
            Step
          </th>
          <th scope="col" className={`${HEAD} text-right`}>
            Peak
          </th>
          <th scope="col" className={`${HEAD} text-right`}>
            Limit
          </th>
        </tr>
      </thead>
      <tbody>
        {known.map(({ step, peak_bytes: peak, limit_bytes: limit, advice }) => (
          <tr key={step} className="border-b border-line last:border-0">
            <td className="px-3 py-1.5 wrap-anywhere">
              {step}
              {advice && <span className="block text-wait">{advice.message}</span>}
            </td>
            <td className="px-3 py-1.5 text-right align-top whitespace-nowrap tabular-nums">{size(peak)}</td>
            <td className="px-3 py-1.5 text-right align-top whitespace-nowrap tabular-nums">{size(limit)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
