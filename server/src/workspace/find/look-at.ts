import type { ReadableRoot } from "#workspace/find/readable-place";
import { linkTarget } from "#workspace/find/link-target";
import {
  cleanPath,
  closing,
  InTheWay,
  isNotPermitted,
  maybeLstat,
  maybeOpenRoot,
  walkToParent,
} from "#workspace/safe-path";
import { kindOf } from "#workspace/find/walk";

/** The entry at a path. Links are not followed, so a path behind a link counts as absent. */
export type PathEntry =
  | { readonly kind: "file" | "folder"; readonly bytes: number }
  /** `target` is the path in the workspace that the link leads to, or in a readable folder; null if it leads elsewhere. */
  | { readonly kind: "link"; readonly bytes: number; readonly target: string | null }
  /** The path does not exist, or is not a file, folder or link. */
  | { readonly kind: "absent" };

export async function lookAt(
  folder: string,
  name: string,
  readableRoots: readonly ReadableRoot[] = [],
): Promise<PathEntry> {
  const clean = cleanPath(name);
  const root = await maybeOpenRoot(folder);
  if (!root) return { kind: "absent" };
  const stat = await statOf(root, clean);
  const kind = stat && kindOf(stat);
  if (!stat || !kind) return { kind: "absent" };
  if (kind !== "link") return { kind, bytes: stat.size };
  return { kind, bytes: stat.size, target: await linkTarget(folder, clean, readableRoots) };
}

async function statOf(root: Parameters<typeof walkToParent>[0], clean: string) {
  try {
    const { parent, name } = await walkToParent(root, clean);
    return await closing(parent, () => maybeLstat(parent.at(name)));
  } catch (error) {
    if (error instanceof InTheWay || isNotPermitted(error)) return undefined;
    throw error;
  }
}
