import type { Problem } from "#engines/problem";
import { decodedUri } from "#plumbing/text/decoded-uri";
import { isObject } from "#workflow/specification/shape";

/**
 * The documents of a workflow: the files named in its specification, and, recursively, in other documents. They are
 * collected before the run starts, and stored as the engine's model: a run never reads or fetches documents.
 */

/** The texts of the documents, by location. */
export type Documents = Readonly<Record<string, string>>;

/** An engine's verdict on the documents collected up to now. */
export type Preparation =
  /** More documents are needed, including at least one document not given before. */
  | { readonly kind: "needs"; readonly documents: readonly NeededDocument[] }
  | Prepared
  | { readonly kind: "refused"; readonly problems: readonly Problem[] };

/** All documents are available. */
export interface Prepared {
  readonly kind: "ready";
  /** Plain JSON. */
  readonly model: unknown;
  /** The images for jobs of the workflow. */
  readonly images?: readonly NamedImage[];
  /** The GPUs that jobs of the workflow need. */
  readonly gpus?: readonly NamedGpus[];
}

/** GPUs that a step of a workflow cannot do without. */
export interface NamedGpus {
  /** The step or tool: `Step "train"`. */
  readonly who: string;
  /** The key in the document. */
  readonly key: string;
  readonly gpus: number;
  /** The step's `compute_backend`. Default: the first backend. */
  readonly backend?: string;
}

/** A container image named in a workflow. */
export interface NamedImage {
  /** The step or tool that names the image: `Step "count"`. */
  readonly who: string;
  /** Null if the documents ask for a container without naming an image. */
  readonly image: string | null;
  /** True if the commands may run only in the image. Otherwise the image is a recommendation. */
  readonly isRequired: boolean;
  /** The field by which the document makes the image (`dockerFile`). Undefined for an image from a registry. */
  readonly madeBy?: string;
}

export interface NeededDocument {
  /** From `locationOf`. */
  readonly location: string;
  /** The place that names the document, for reports of an unavailable document. */
  readonly named: Omit<Problem, "message">;
  /** True if the workflow is readable without the document. The reason of a failed fetch is kept at `absenceOf`. */
  readonly isOptional?: true;
}

/**
 * Returns the key for the reason why an optional document cannot be had. The reason is empty if nobody tried. No location
 * starts with a slash.
 */
export function absenceOf(location: string): string {
  return `//${location}`;
}

/** Returns whether a document is available, or known to be missing. */
export function isSettled(texts: Documents, location: string): boolean {
  return Object.hasOwn(texts, location) || Object.hasOwn(texts, absenceOf(location));
}

/** The location of a document: a path in the workspace, or an address that starts with `http`. */
export type Location =
  | { readonly ok: true; readonly location: string }
  | { readonly ok: false; readonly reason: string };

/**
 * Resolves a reference to another document, relative to the document that contains the reference; null means the
 * specification, with references relative to the workspace. A fragment (`#main`) names a part of a document and is left
 * out.
 */
export function locationOf(reference: string, base: string | null): Location {
  const [bare = ""] = reference.split("#", 1);
  if (bare === "") return refused(reference, "names no document");
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(bare)?.[1]?.toLowerCase();
  if (scheme !== undefined) return isWeb(scheme) ? webLocation(bare, reference) : unread(reference, scheme);
  if (base !== null && isAddress(base)) return webLocation(bare, reference, base);
  return pathLocation(bare, reference, base);
}

/** Returns a path as a reference, with special characters encoded. */
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

/** Returns the warnings of a model, if any. */
export function warningsOf(model: unknown): readonly string[] {
  const warnings: unknown = isObject(model) ? model["warnings"] : undefined;
  return Array.isArray(warnings) ? warnings.map(String) : [];
}
