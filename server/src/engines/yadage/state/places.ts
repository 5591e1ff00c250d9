/**
 * Paths in the values of a run. Yadage's values hold absolute paths, but a state must not depend on the location of the
 * workspace: in a state, the marker replaces its folder. The marker looks like an absolute path to programs that take
 * paths apart.
 */
export const WORKSPACE = "/\uE000";

/** Puts the marker in the place of the workspace's folder. */
export function withoutFolder(text: string, workspaceFolder: string): string {
  return text.replaceAll(workspaceFolder, WORKSPACE);
}

/** Puts the workspace's folder in the place of the marker: for commands, logs and results. */
export function withFolder<Value>(value: Value, workspaceFolder: string): Value {
  return mapTexts(value, (text) => text.replaceAll(WORKSPACE, workspaceFolder));
}

/** Makes the paths in a value relative to the workspace, for display. */
export function fromWorkspace<Value>(value: Value): Value {
  return mapTexts(value, (text) => text.replaceAll(`${WORKSPACE}/`, "").replaceAll(WORKSPACE, "."));
}

function mapTexts<Value>(value: Value, change: (text: string) => string): Value {
  if (typeof value === "string") return change(value) as Value;
  if (Array.isArray(value)) return value.map((item: unknown) => mapTexts(item, change)) as Value;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]: [string, unknown]) => [
    key,
    mapTexts(item, change),
  ]);
  return Object.fromEntries(entries) as Value;
}

export function absolute(folder: string): string {
  return folder === "" ? WORKSPACE : `${WORKSPACE}/${folder}`;
}

/** Returns the path relative to the workspace, or undefined. A relative path starts at the workspace. */
export function maybeRelative(path: string): string | undefined {
  const isInside = path === WORKSPACE || path.startsWith(`${WORKSPACE}/`);
  if (!isInside && path.startsWith("/")) return undefined;
  const parts: string[] = [];
  for (const part of (isInside ? path.slice(WORKSPACE.length) : path).split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join("/");
}

/** Joins as Python's `os.path.join` does. */
export function joined(folder: string, path: string): string {
  return path.startsWith("/") ? path : `${folder}/${path}`;
}
