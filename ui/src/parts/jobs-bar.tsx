import type { Run } from "../api/asks.ts";

/** Shows how many jobs of a run have finished, as a bar and in numbers. */
export function JobsBar({ progress }: { readonly progress: Run["progress"] }) {
  const total = progress.total?.total ?? 0;
  if (total === 0) return <span className="text-muted">–</span>;
  const [finished, failed, running] = [progress.finished, progress.failed, progress.running].map(
    (group) => group?.total ?? 0,
  ) as [number, number, number];
  const share = (count: number) => ({ width: `${(100 * count) / total}%` });
  return (
    <span className="flex items-center gap-2">
      <span aria-hidden className="flex h-1.5 w-20 overflow-hidden rounded-full bg-raised">
        <span className="bg-good" style={share(finished)} />
        <span className="bg-bad" style={share(failed)} />
        <span className="bg-live" style={share(running)} />
      </span>
      <span className="whitespace-nowrap text-muted">
        {finished.toLocaleString()}/{total.toLocaleString()}
        {failed > 0 && <span className="text-bad"> · {failed.toLocaleString()} failed</span>}
      </span>
    </span>
  );
}
