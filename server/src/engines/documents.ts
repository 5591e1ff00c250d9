import type { Problem } from "#engines/problem";
import { decodedUri } from "#plumbing/text/decoded-uri";
import { isObject } from "#workflow/specification/shape";

/**
 * The documents of a workflow: the files that its specification names, and those that they name in turn. They are
 * collected before the run starts, and stored with it as the engine's model: a run reads and fetches none of them.
 */

/** The texts of the documents, by their locations. */
export type Documents = Readonly<Record<string, string>>;

/** An engine's verdict on the documents that it has so far. */
export type Preparation =
  /** More documents are needed, at least one of which it does not have yet. */
  | { readonly kind: "needs"; readonly documents: readonly NeededDocument[] }
  /** Everything is there. The model is plain JSON. `images` are those that jobs of the workflow may run in. */
  | { readonly kind: "ready"; readonly model: unknown; readonly images?: readonly NamedImage[] }
  | { readonly kind: "refused"; readonly problems: readonly Problem[] };

/** A container image that a workflow names. */
export interface NamedImage {
  /** The step or tool that names it: `Step "count"`. */
  readonly who: string;
  /** Null: the documents ask for a container and name no image. */
  readonly image: string | null;
  /** True if the commands may run in this image only. Otherwise it is a recommendation. */
  readonly isRequired: boolean;
  /** The field by which the document makes the image (`dockerFile`). Absent: it comes from a registry. */
  readonly madeBy?: string;
}

export interface NeededDocument {
  /** From `locationOf`. */
  readonly location: string;
  /** The place that names the document. A document that cannot be had is reported there. */
  readonly named: Omit<Problem, "message">;
  /** True if the workflow can be read without the document. Why it cannot be had is then kept at `absenceOf`. */
  readonly isOptional?: true;
}

/**
 * Returns the key for the reason why an optional document cannot be had. The reason is empty if nobody tried. No location
 * starts with a slash.
 */
export function absenceOf(location: string): string {
  return `//${location}`;
}

/** Returns whether a document is there, or known to be absent. */
export function isSettled(texts: Documents, location: string): boolean {
  return Object.hasOwn(texts, location) || Object.hasOwn(texts, absenceOf(location));
}

/** The location of a document: a path in the workspace, or an address that starts with `http`. */
export type Location =
  | { readonly ok: true; readonly location: string }
  | { readonly ok: false; readonly reason: string };

/**
 * Resolves a reference to another document, relative to the document that holds it; null means the specification, whose
 * references are relative to the workspace. A fragment (`#main`) names a part of a document and is left out.
 */
export function locationOf(reference: string, base: string | null): Location {
  const [bare = ""] = reference.split("#", 1);
  if (bare === "") return refused(reference, "names no document");
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(bare)?.[1]?.toLowerCase();
  if (scheme !== undefined) return isWeb(scheme) ? webLocation(bare, reference) : unread(reference, scheme);
  if (base !== null && isAddress(base)) return webLocation(bare, reference, base);
  return pathLocation(bare, reference, base);
}

/** Returns a path as a reference: characters that have a meaning in one are encoded. */
export function referenceTo(path: string): string {
  return path.replaceAll("%", "%25").replaceAll("#", "%23").replaceAll(":", "%3A");
}

export function isAddress(location: string): boolean {
  return /^https?:\/\//.test(location);
}

function isWeb(scheme: string): boolean {
  return scheme === "http" || scheme === "https";
}

function webLocation(bare: string, reference: string, base?: string): Location {
  if (!URL.canParse(bare, base)) return refused(reference, "is no address");
  const url = new URL(bare, base);
  if (!isWeb(url.protocol.slice(0, -1))) return unread(reference, url.protocol.slice(0, -1));
  if (url.username !== "" || url.password !== "")
    return { ok: false, reason: "An address with a user name or a password is not read." };
  return { ok: true, location: url.href };
}

function pathLocation(bare: string, reference: string, base: string | null): Location {
  if (bare.startsWith("/"))
    return refused(reference, "is an absolute path. Give one relative to the document");
  const path = base === null ? [] : base.split("/").slice(0, -1);
  for (const component of decodedUri(bare).split("/")) {
    if (component === "" || component === ".") continue;
    if (component !== "..") path.push(component);
    else if (path.pop() === undefined) return refused(reference, "leads out of the workspace");
  }
  return path.length === 0 ? refused(reference, "names no document") : { ok: true, location: path.join("/") };
}

function unread(reference: string, scheme: string): Location {
  return refused(reference, `has the scheme "${scheme}": only paths and http or https addresses are read`);
}

function refused(reference: string, why: string): Location {
  return { ok: false, reason: `"${reference}" ${why}.` };
}

/** Returns the warnings of a model that has any. */
export function warningsOf(model: unknown): readonly string[] {
  const warnings: unknown = isObject(model) ? model["warnings"] : undefined;
  return Array.isArray(warnings) ? warnings.map(String) : [];
}
