import type { Caller } from "#operations/context";
import type { RunServices } from "#operations/runs/services";
import { checkDocument, type Created, insertNew, nameFor } from "#operations/runs/create/create-run";
import { withDocumentWarnings } from "#operations/runs/create/document-warnings";
import type { Keyed } from "#operations/idempotency";
import { parseSpecification } from "#operations/runs/create/definition";
import { inReservedWorkspace } from "#operations/files/reserved-workspace";
import { crashPoint } from "#plumbing/crash-points";
import type { GitCredential } from "#sources/git-source";
import type { Specification } from "#workflow/specification/specification";

export interface CreateFromGitInput {
  /** Name of the workflow. Absent or empty: `workflow`. */
  readonly name: string | undefined;
  readonly address: string;
  /** Optional: absent for a public repository. */
  readonly credential?: GitCredential | undefined;
  /** Throws if no run is to be created from what was found. */
  readonly judge?: (name: string, specification: Specification) => Promise<void>;
}

type FromGitContext = Pick<
  RunServices,
  "db" | "clock" | "random" | "capabilities" | "git" | "workspaces" | "quotas" | "engines"
> &
  Keyed;

/** Creates a run from a Git repository: checks its specification and fetches its files into the workspace. */
export async function createRunFromGit(
  context: FromGitContext,
  caller: Caller,
  input: CreateFromGitInput,
): Promise<Created> {
  await context.quotas.refuseUsedUp(caller.id);
  const name = nameFor(input.name);
  return inReservedWorkspace(context, caller, async (workspaceId) => {
    const { folder } = context.workspaces.of(workspaceId);
    const fetched = await context.git.fetch(input.address, folder, input.credential);
    crashPoint("repository-fetched");
    const parsed = await parseSpecification(fetched.specificationText, fetched.specificationName);
    const files = context.workspaces.of(workspaceId).forRun(new AbortController().signal);
    const checked = await withDocumentWarnings(
      context,
      caller.id,
      checkDocument(context, parsed),
      async (...wanted) => (await files.read(...wanted)).text,
    );
    await input.judge?.(name, checked.specification);
    const warnings = [...checked.warnings, ...fetched.warnings];
    await context.workspaces.of(workspaceId).sync();
    return insertNew(context, caller, {
      name,
      checked: { ...checked, warnings },
      launcherUrl: fetched.address,
      workspaceId,
    });
  });
}
