import type { Caller, Operations } from "#operations/context";
import { checkDocument, type Created, insertNew, nameFor } from "#operations/create-workflow";
import type { Keep } from "#operations/kept-answers";
import { crashPoint } from "#plumbing/crash-points";
import { type FetchedRepository, MAX_SPECIFICATION_BYTES } from "#sources/git-source";
import { transaction } from "#store/database";
import type { Specification } from "#workflow/specification/specification";
import { forgetWorkspace, isWorkspaceUsed, reserveWorkspace } from "#store/workspaces";

export interface CreateFromGitInput {
  /** Absent or empty: one is generated. */
  readonly name: string | undefined;
  readonly address: string;
  readonly keep?: Keep<Created> | undefined;
  /** Throws where nothing is to be made of what was found. */
  readonly judge?: (name: string, specification: Specification) => void;
}

type Context = Pick<Operations, "db" | "clock" | "random" | "capabilities" | "git" | "workspaces">;

/**
 * A workflow of a repository: its specification is read and checked, its files become the workspace. They are there
 * before the workflow is, so that no workflow is ever seen without them; whatever goes wrong takes them away again.
 */
export async function createWorkflowFromGit(
  context: Context,
  caller: Caller,
  input: CreateFromGitInput,
): Promise<Created> {
  const name = nameFor(context, input.name);
  const workspaceId = context.random.uuid();
  await reserveWorkspace(context.db, {
    id: workspaceId,
    ownerId: caller.id,
    createdAtMs: context.clock.now(),
  });
  crashPoint("workspace-reserved");
  try {
    const fetched = await context.git.fetch(input.address, context.workspaces.folder(workspaceId));
    crashPoint("repository-fetched");
    const checked = checkDocument(context, await documentOf(fetched));
    input.judge?.(name, checked.specification);
    const warnings = [...checked.warnings, ...fetched.warnings];
    await context.workspaces.sync(workspaceId);
    const run = {
      name,
      checked: { ...checked, warnings },
      launcherUrl: fetched.address,
      workspaceId,
      keep: input.keep,
    };
    return await insertNew(context, caller, run);
  } catch (error) {
    // What is reported as failed may have been done: then these are the files of a workflow.
    const isUsed = await transaction(context.db, (db) => isWorkspaceUsed(db, workspaceId));
    if (!isUsed) await removeUnused(context, workspaceId);
    throw error;
  }
}

/** The files first: until they are gone the row says that they have to go. */
export async function removeUnused(
  { db, workspaces }: Pick<Operations, "db" | "workspaces">,
  workspaceId: string,
): Promise<void> {
  await workspaces.remove(workspaceId);
  crashPoint("workspace-emptied");
  await forgetWorkspace(db, workspaceId);
  crashPoint("workspace-forgotten");
}

/** JSON is YAML, so one reader serves both. It is loaded when it is needed: most servers never do. */
async function documentOf({ specificationText, specificationName }: FetchedRepository): Promise<unknown> {
  const { parseYaml } = await import("#plumbing/yaml");
  return parseYaml(specificationText, { maxBytes: MAX_SPECIFICATION_BYTES, what: specificationName });
}
