import { createHash } from "node:crypto";
import { pipeline } from "node:stream/promises";
import { type ShadowContext, startOf } from "#operations/runs/shadows/shadow-context";
import type { RemoteReana, RemoteRun } from "#sources/reana-remote";
import { oneDefinition, type Run } from "#store/runs/runs";
import { isOver, type RunStatus } from "#workflow/run/run-status";
import { differenceOf, notCompared, type ShadowResult, type ShadowSide } from "#workflow/run/shadow";
import { pathsIn } from "#workflow/specification/declared-paths";

/** Most outputs of a run that are compared. */
const MOST_OUTPUTS = 1000;

interface Copy {
  readonly remote: RemoteReana;
  readonly id: string;
}

/** Compares a run with its copy. Returns undefined until both have ended. */
export async function compareShadow(
  context: ShadowContext,
  run: Run,
  { remote, id }: Copy,
): Promise<ShadowResult | undefined> {
  if (!isOver(run.status)) return undefined;
  const there = await remote.maybeRun(id);
  if (there === undefined) return notCompared("the run was deleted there");
  if (!isOver(there.status as RunStatus)) return undefined;
  const isSame = run.status === there.status;
  const outputs = isSame ? await differingOutputs(context, run, { remote, id }) : [];
  const failure = there.status === "failed" ? await remote.lastWords(id) : null;
  const sides = {
    here: sideOf(run.status, { ...run, endedAtMs: run.finishedAtMs ?? run.stoppedAtMs }, run.failure),
    there: sideOf(there.status, there, failure),
  };
  return { ...differenceOf(sides.here, sides.there, outputs), ...sides, outputs };
}

function sideOf(
  status: string,
  { startedAtMs, endedAtMs }: Pick<RemoteRun, "startedAtMs" | "endedAtMs">,
  failure: string | null,
): ShadowSide {
  const seconds = startedAtMs === null || endedAtMs === null ? null : (endedAtMs - startedAtMs) / 1000;
  return { status, seconds, failure };
}

/** Returns the paths of outputs with another content, or that only one of the servers has. */
async function differingOutputs(context: ShadowContext, run: Run, { remote, id }: Copy): Promise<string[]> {
  const { specification } = await oneDefinition(context.db, run.id);
  const declared = pathsIn(specification.outputs);
  const own = await ownOutputs(context, run, declared);
  const files = Array.isArray(specification.outputs?.files) ? specification.outputs.files : [];
  const names = [...new Set([...own.keys(), ...files.filter((one): one is string => isPlain(one))])];
  const differing: string[] = [];
  for (const name of names.slice(0, MOST_OUTPUTS))
    if (own.get(name) !== (await remote.maybeChecksum(id, name))) differing.push(name);
  return differing;
}

/** A pattern is compared by the files that it matches here. */
function isPlain(path: unknown): boolean {
  return typeof path === "string" && !/[*?[]/.test(path);
}

/** Returns the checksums of the run's outputs, by path: of its declared outputs, or of all files that are newer than the start. */
async function ownOutputs(
  { workspaces }: ShadowContext,
  run: Run,
  declared: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const sums = new Map<string, string>();
  const isDeclared = (path: string) =>
    declared.length === 0 ||
    declared.some((one) => path === one || path.startsWith(`${one.replace(/\/$/, "")}/`));
  for await (const file of workspaces.of(run.workspaceId).openFiles(isDeclared)) {
    const isNew = declared.length > 0 || file.modifiedAtMs > startOf(run);
    if (!isNew || sums.size >= MOST_OUTPUTS) {
      await file.close();
      continue;
    }
    const hash = createHash("sha256");
    await pipeline(file.stream(), hash);
    sums.set(file.path, hash.digest("hex"));
  }
  return sums;
}
