import { type Faults, isObject } from "#workflow/specification/shape";
import type { Specification } from "#workflow/specification/specification";
import { hasParentSegment } from "#plumbing/files/relative-path";

/**
 * Finds requests that REANA refuses if the cluster lacks a feature. Reprise runs the workflow without the
 * feature.
 */
export function* findClusterWarnings(
  { workspace }: Specification,
  { workspaceRoots }: { readonly workspaceRoots?: readonly string[] },
): Faults {
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
  return !hasParentSegment(wanted) && roots.some((root) => inside(wanted).startsWith(inside(root)));
}
