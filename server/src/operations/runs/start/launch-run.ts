import type { Caller } from "#operations/context";
import type { RunServices } from "#operations/runs/services";
import type { Created } from "#operations/runs/create/create-run";
import { createRunFromGit } from "#operations/runs/create/create-run-from-git";
import { checkStart } from "#operations/runs/checks/start-checks";
import { checkedStart, queueStart, recordStart } from "#operations/runs/start/start-run";
import type { GitCredential } from "#sources/git-source";
import type { Connection } from "#store/database/database";
import type { Run } from "#store/runs/runs";

export interface LaunchInput {
  /** Name of the workflow. Absent or empty: `workflow`. */
  readonly name: string | undefined;
  /** Address of a Git repository. */
  readonly address: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly credential?: GitCredential | undefined;
  /** Records more in the transaction of the start, before it. */
  readonly recordMore?: (db: Connection, runId: string) => Promise<void>;
}

export interface Launched {
  readonly run: Run;
  readonly warnings: Created["warnings"];
}

type LaunchContext = Parameters<typeof createRunFromGit>[0] &
  Parameters<typeof checkedStart>[0] &
  Pick<RunServices, "engines">;

/**
 * Creates a run from a repository and starts the run. Refuses before the creation if the run could not start.
 */
export async function launchRun(
  context: LaunchContext,
  caller: Caller,
  input: LaunchInput,
): Promise<Launched> {
  const { name, address, parameters, credential, recordMore } = input;
  // The key belongs to the whole launch: its result is stored with the start.
  const created = await createRunFromGit({ ...context, idempotency: undefined }, caller, {
    name,
    address,
    credential,
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
  return recordStart(context, async (db) => {
    await recordMore?.(db, created.id);
    return { run: await queueStart(context, db, start), warnings };
  });
}
