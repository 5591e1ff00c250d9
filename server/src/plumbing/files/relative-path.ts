/** Rules for relative paths as users write them: `data//./a.txt`. A backslash is an ordinary character. */

/**
 * Limit on the nesting of folders. A walk through a workspace holds each folder on its way down open, so the
 * limit bounds its file descriptors. A deeper path could be stored, but not listed.
 */
export const FOLDERS_DEEP_MAX = 200;

/** Returns whether a file with this path is nested too deeply for a workspace. */
export function isTooDeep(path: string): boolean {
  return componentsOf(path).length > FOLDERS_DEEP_MAX + 1;
}

/** Returns the components, without empty ones and `.`: `data//./a.txt` → `data`, `a.txt`. */
export function componentsOf(path: string): string[] {
  return path.split("/").filter((component) => component !== "" && component !== ".");
}

/** Normalizes the path: `/data//./a.txt` → `data/a.txt`. */
export function plainPath(path: string): string {
  return componentsOf(path).join("/");
}

/** Returns whether a component is `..`, in which case the path may lead out of its folder. */
export function hasParentSegment(path: string): boolean {
  return path.split("/").includes("..");
}

/** Returns why a path does not name a place in its folder, or undefined if it does. Looks at no file. */
export function whyOutside(path: string): "empty" | "nul" | "absolute" | "leads-up" | undefined {
  if (path === "") return "empty";
  if (path.includes("\0")) return "nul";
  if (path.startsWith("/")) return "absolute";
  return hasParentSegment(path) ? "leads-up" : undefined;
}

/** Returns whether the path is normalized, not empty, and inside its folder. */
export function isPlainPath(path: string): boolean {
  return path !== "" && plainPath(path) === path && !hasParentSegment(path);
}
