import type { Caller, Operations } from "#operations/context";
import type { Created } from "#operations/runs/create-run";
import { createRunFromGit } from "#operations/runs/create-run-from-git";
import type { Keep } from "#operations/kept-answers";
import { checkStart } from "#operations/runs/start-checks";
import { startRun } from "#operations/runs/start-run";
import type { Run } from "#store/runs";

export interface LaunchInput {
  /** Name of the workflow. Absent or empty: `workflow`. */
  readonly name: string | undefined;
  /** Address of a Git repository. */
  readonly address: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly keep?: Keep<Launched> | undefined;
}

export interface Launched {
  readonly run: Run;
  readonly warnings: Created["warnings"];
}

type Context = Parameters<typeof createRunFromGit>[0] &
  Parameters<typeof startRun>[0] &
  Pick<Operations, "engines">;

/** Creates a run from a repository and starts it. Refuses before creating it if it could not start. */
export async function launchRun(context: Context, caller: Caller, input: LaunchInput): Promise<Launched> {
  const { name, address, parameters } = input;
  const created = await createRunFromGit(context, caller, {
    name,
    address,
    judge(found, specification) {
      const start = {
        specification,
        parameters,
        options: {},
        name: found,
        verb: "started",
      } as const;
      checkStart(context, start);
    },
  });
  const { warnings } = created;
  const { keep } = input;
  const run = await startRun(context, caller, {
    address: created.id,
    parameters,
    options: {},
    keep: keep && ((db, started) => keep(db, { run: started, warnings })),
  });
  return { run, warnings };
}
