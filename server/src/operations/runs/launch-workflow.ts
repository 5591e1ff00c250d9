import type { Caller, Operations } from "#operations/context";
import type { Created } from "#operations/runs/create-workflow";
import { createWorkflowFromGit } from "#operations/runs/create-workflow-from-git";
import type { Keep } from "#operations/kept-answers";
import { checkStart } from "#operations/runs/start-checks";
import { startWorkflow } from "#operations/runs/start-workflow";
import type { Workflow } from "#store/workflows";

export interface LaunchInput {
  /** Name of the workflow. Absent or empty: `workflow`. */
  readonly name: string | undefined;
  /** Address of a Git repository. */
  readonly address: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly keep?: Keep<Launched> | undefined;
}

export interface Launched {
  readonly workflow: Workflow;
  readonly warnings: Created["warnings"];
}

type Context = Parameters<typeof createWorkflowFromGit>[0] &
  Parameters<typeof startWorkflow>[0] &
  Pick<Operations, "engines">;

/** Creates a workflow from a repository and starts it. Refuses before creating it if it could not start. */
export async function launchWorkflow(
  context: Context,
  caller: Caller,
  input: LaunchInput,
): Promise<Launched> {
  const { name, address, parameters } = input;
  const created = await createWorkflowFromGit(context, caller, {
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
  const workflow = await startWorkflow(context, caller, {
    address: created.id,
    parameters,
    options: {},
    keep: keep && ((db, started) => keep(db, { workflow: started, warnings })),
  });
  return { workflow, warnings };
}
