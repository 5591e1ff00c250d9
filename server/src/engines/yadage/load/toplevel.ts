import type { Problem } from "#engines/problem";
import { hasParentSegment, plainPath } from "#plumbing/files/relative-path";
import { pythonStr } from "#plumbing/formats/python-text";

/** The place that references of a workflow start from: a folder of the workspace, or an address. */

type Base =
  | { readonly ok: true; readonly base: string | null }
  | { readonly ok: false; readonly problem: Problem };

/** Returns the location of an imagined document in the toplevel. Null means the workspace itself. */
export function baseOf(toplevel: unknown): Base {
  if (toplevel === undefined || toplevel === null) return { ok: true, base: null };
  const text = pythonStr(toplevel);
  const address = maybeAddress(text);
  if (address !== undefined) return { ok: true, base: address.endsWith("/") ? address : `${address}/` };
  const folder = folderOption(text, "toplevel");
  if (!folder.ok) return folder;
  return { ok: true, base: folder.folder === "" ? null : `${folder.folder}/-` };
}

type Folder =
  | { readonly ok: true; readonly folder: string }
  | { readonly ok: false; readonly problem: Problem };

/** Reads the name of a folder of the workspace from an option. */
export function folderOption(value: unknown, name = "initdir"): Folder {
  const path = value === undefined || value === null ? "" : pythonStr(value);
  if (!hasParentSegment(path)) return { ok: true, folder: plainPath(path) };
  const message = `The option ${name} names "${path}", which leads out of the workspace.`;
  return { ok: false, problem: { path: `inputs.options.${name}`, message } };
}

/** The base address of `from-github/folder` in Yadage. */
const FROM_GITHUB = "https://raw.githubusercontent.com/lukasheinrich/yadage-workflows/master/";

/** Understands Yadage's own spellings: `github:user/repository@branch:folder`, `from-github/folder`. */
function maybeAddress(toplevel: string): string | undefined {
  if (/^https?:\/\//.test(toplevel)) return toplevel;
  if (toplevel.startsWith("from-github/")) return FROM_GITHUB + toplevel.slice("from-github/".length);
  const named = /^(github|gitlab-cern):([^:@]+)(?:@([^:]+))?(?::(.*))?$/.exec(toplevel);
  if (!named) return undefined;
  const [, host, repository = "", branch, folder = ""] = named;
  const root =
    host === "github"
      ? `https://raw.githubusercontent.com/${repository}/${branch ?? "main"}`
      : `https://gitlab.cern.ch/${repository}/-/raw/${branch ?? "master"}`;
  return folder === "" ? root : `${root}/${folder}`;
}
