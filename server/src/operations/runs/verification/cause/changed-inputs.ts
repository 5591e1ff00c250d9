import type { RunServices } from "#operations/runs/services";
import type { Undeclared } from "#operations/runs/verification/cause/step-reads";
import { writtenFiles, wholePath } from "#operations/runs/verification/written-files";
import { namedBy } from "#plumbing/text/named-by";
import { oneDefinition, type Run } from "#store/runs/runs";
import { declaredPaths } from "#workflow/specification/declared-paths";
import { changedMsOfStamp } from "#workspace/read/stamps";

const INSIDE_MAX = 20;

/**
 * Returns the files that may explain a difference between two runs, because they are not declared as inputs and changed
 * after the first run.
 */
export async function undeclaredOf(
  context: Pick<RunServices, "db" | "workspaces">,
  { verified, repetition }: { readonly verified: Run; readonly repetition: Run },
  signal: AbortSignal,
): Promise<Undeclared> {
  const endOf = ({ finishedAtMs, stoppedAtMs }: Run) => finishedAtMs ?? stoppedAtMs ?? 0;
  const changedAfterMs = endOf(verified);
  const { specification } = await oneDefinition(context.db, verified.id);
  const isInput = namedBy(declaredPaths(specification).inputs);
  const both = [
    ...(await writtenFiles(context, verified, signal)),
    ...(await writtenFiles(context, repetition, signal)),
  ];
  const written = new Set(both.filter(({ isSure }) => isSure).map(wholePath));
  // An aborted signal leaves the checksums out.
  const { files } = await context.workspaces
    .of(verified.workspaceId)
    .collectResults({ declared: ["."], earlier: [] }, AbortSignal.abort());
  const inside = files.filter(({ path, stamp }) => {
    const changedMs = changedMsOfStamp(stamp) ?? 0;
    return (
      changedMs > changedAfterMs &&
      changedMs <= repetition.createdAtMs &&
      !isInput(path) &&
      !written.has(path)
    );
  });
  return {
    inside: inside.slice(0, INSIDE_MAX).map(({ path }) => path),
    changedAfterMs,
    changedUntilMs: endOf(repetition),
  };
}
