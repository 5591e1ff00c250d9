import type { RunFiles } from "#workspace/run-files";
import type { Workspace } from "#workspace/workspace";
import type { Workspaces } from "#workspace/workspaces";

/**
 * Returns the workspaces with some verbs replaced, so that a test can make a verb fail, wait or be counted.
 */
export function withVerbs(
  workspaces: Workspaces,
  replaced: (workspace: Workspace) => Partial<Workspace>,
): Workspaces {
  const { of } = workspaces;
  return { ...workspaces, of: (id) => Object.assign(of(id), replaced(of(id))) };
}

/** Returns the workspaces with some verbs for runs replaced. */
export function withRunVerbs(
  workspaces: Workspaces,
  replaced: (files: RunFiles) => Partial<RunFiles>,
): Workspaces {
  return withVerbs(workspaces, (workspace) => {
    const forRun = workspace.forRun.bind(workspace);
    return {
      forRun(signal) {
        const files = forRun(signal);
        return { ...files, ...replaced(files) };
      },
    };
  });
}
