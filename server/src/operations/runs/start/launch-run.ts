import type { Caller, Operations } from "#operations/context";
import type { Created } from "#operations/runs/create/create-run";
import { createRunFromGit } from "#operations/runs/create/create-run-from-git";
import { checkStart } from "#operations/runs/start/start-checks";
import { checkedStart, queueStart, recordStart } from "#operations/runs/start/start-run";
import type { Run } from "#store/runs/runs";

export interface LaunchInput {
  /** Name of the workflow. Absent or empty: `workflow`. */
  readonly name: string | undefined;
  /** Address of a Git repository. */
  readonly address: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface Launched {
  readonly run: Run;
  readonly warnings: Created["warnings"];
}

type Context = Parameters<typeof createRunFromGit>[0] &
  Parameters<typeof checkedStart>[0] &
  Pick<Operations, "engines">;

/** Creates a run from a repository and starts it. Refuses before creating it if it could not start. */
export async function launchRun(context: Context, caller: Caller, input: LaunchInput): Promise<Launched> {
  const { name, address, parameters } = input;
  // The key belongs to the whole launch: its result is stored with the start.
  const created = await createRunFromGit({ ...context, idempotency: undefined }, caller, {
    name,
    address,
    async judge(found, specification) {
      const start = {
        specification,
        parameters,
        options: {},
        name: found,
        verb: "started",
        ownerId: caller.id,
      } as const;
      await checkStart(context, start);
    },
  });
  const { warnings } = created;
  const start = await checkedStart(context, caller, { address: created.id, parameters, options: {} });
  return recordStart(context, async (db) => ({ run: await queueStart(context, db, start), warnings }));
}
