import type { EngineInput } from "#engines/engine";
import type { OutstandingLimit } from "#engines/outstanding";
import { engineInput } from "#runner/engine/engine-input";
import type { EngineRuntime } from "#runner/engine/engine-runtime";
import type { Connection } from "#store/database/database";
import type { Run } from "#store/runs/runs";
import type { Language } from "#workflow/language";
import { type KeepRequest, keepsOutputsOnly } from "#workflow/run/kept-files";
import { declaredPaths } from "#workflow/specification/declared-paths";
import { destinationOf, type OutputDestination } from "#workflow/specification/output-destination";
import { type RemoteInput, remoteInputsOf } from "#workflow/specification/remote-inputs";
import type { Workspaces } from "#workspace/workspaces";

/** Facts from the definition of a run. */
export interface RunFacts {
  /** Set if the run keeps its outputs only. */
  readonly keepRequest: KeepRequest | undefined;
  readonly limit: OutstandingLimit;
  /** The inputs that are addresses: inputs that the specification declares, and inputs that documents of the workflow name. */
  readonly remoteInputs: readonly RemoteInput[];
  /** The declared outputs of the specification. */
  readonly declared: readonly string[];
  /** The place where the outputs are published. */
  readonly destination: OutputDestination | undefined;
}

/** A run with its engine, after the definition was read. */
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

/**
 * Reads a run, and makes the workspace if it is missing. Returns undefined if this server has no engine for
 * the run.
 */
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
      limit: input.run,
      remoteInputs: [...remoteInputsOf(input.specification.inputs), ...namedInModel(input.model)],
      declared: declaredPaths(input.specification).outputs,
      destination: destinationOf(input.specification.outputs),
    },
  };
}

function namedInModel(model: unknown): readonly RemoteInput[] {
  return (model as { readonly remoteInputs?: readonly RemoteInput[] } | undefined)?.remoteInputs ?? [];
}
