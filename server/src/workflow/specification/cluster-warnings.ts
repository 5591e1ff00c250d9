import { type Faults, isObject } from "#workflow/specification/shape";
import type { Specification } from "#workflow/specification/specification";
import { leadsUp } from "#plumbing/files/relative-path";

/** Finds what REANA refuses if its cluster lacks something. Here the workflow runs without it. */
export function* findClusterWarnings(
  { workflow, workspace }: Specification,
  { workspaceRoots }: { readonly workspaceRoots?: readonly string[] },
): Faults {
  if (isObject(workflow.resources) && Object.hasOwn(workflow.resources, "dask")) {
    const message = "No Dask cluster is started here: the steps run without one.";
    yield { code: "dask", path: "workflow.resources.dask", message };
  }
  const wanted = isObject(workspace) ? workspace.root_path : undefined;
  if (!workspaceRoots || typeof wanted !== "string" || isBelow(wanted, workspaceRoots)) return;
  yield {
    code: "workspace",
    path: "workspace.root_path",
    message: `Desired workspace "${wanted}" is not valid.`,
  };
}

function isBelow(wanted: string, roots: readonly string[]): boolean {
  const inside = (folder: string) => `${folder.replace(/\/+$/, "")}/`;
  return !leadsUp(wanted) && roots.some((root) => inside(wanted).startsWith(inside(root)));
}
