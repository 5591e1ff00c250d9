import type { EngineInput } from "#engines/engine";
import { engineInput } from "#runner/engine/engine-input";
import type { EngineRuntime } from "#runner/engine/engine-runtime";
import type { Connection } from "#store/database/database";
import type { Run } from "#store/runs/runs";
import type { Language } from "#workflow/language";
import { type KeepRequest, keepsOutputsOnly } from "#workflow/run/kept-files";
import { declaredPaths } from "#workflow/specification/declared-paths";
import type { Workspaces } from "#workspace/workspaces";

/** Facts of a run that its definition says. */
export interface RunFacts {
  /** Set if the run keeps its outputs only. */
  readonly keepRequest: KeepRequest | undefined;
  /** Maximum number of jobs and asks outstanding together. */
  readonly mostOutstanding: number;
  /** The outputs that the specification declares. */
  readonly declared: readonly string[];
}

/** A run whose definition has been read, with the engine for it. */
export interface ReadRun {
  readonly runtime: EngineRuntime;
  readonly input: EngineInput;
  readonly facts: RunFacts;
}

interface ReadRunContext {
  readonly db: Connection;
  readonly workspaces: Pick<Workspaces, "of">;
  readonly engines: ReadonlyMap<Language, EngineRuntime>;
}

/** Reads a run and makes its workspace if it is not there. Returns undefined if this server has no engine for the run. */
export async function maybeReadRun(context: ReadRunContext, run: Run): Promise<ReadRun | undefined> {
  await context.workspaces.of(run.workspaceId).create();
  const runtime = context.engines.get(run.language);
  if (!runtime) return undefined;
  const input = await engineInput(context, run);
  return {
    runtime,
    input,
    facts: {
      keepRequest: keepsOutputsOnly(input) ? input : undefined,
      mostOutstanding: input.run.mostOutstanding,
      declared: declaredPaths(input.specification).outputs,
    },
  };
}
