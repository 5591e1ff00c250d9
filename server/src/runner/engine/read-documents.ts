import {
  absenceOf,
  type Documents,
  isSettled,
  type NeededDocument,
  type Preparation,
} from "#engines/documents";
import type { Problem } from "#engines/problem";
import { messageOf } from "#plumbing/errors";

/** The end of a preparation: the engine has its model, or the documents are refused. */
export type Prepared = Exclude<Preparation, { readonly kind: "needs" }>;

/** Reads a document by location. The message of an error explains why the document cannot be read. */
export type ReadDocument = (location: string) => Promise<string>;

/**
 * Reads the documents an engine asks for on this machine, until the engine has made its model. Keeps each
 * text in `texts`.
 */
export async function readDocuments(
  texts: Record<string, string>,
  prepare: (texts: Documents) => Preparation | Promise<Preparation>,
  read: ReadDocument,
): Promise<Prepared> {
  for (;;) {
    const made = await prepare(texts);
    if (made.kind !== "needs") return made;
    const missing = made.documents.filter(({ location }) => !isSettled(texts, location));
    if (missing.length === 0) throw new Error("The workflow engine asks for documents that it has.");
    const tried = await Promise.all(missing.map((one) => readOne(one, texts, read)));
    const problems = tried.filter((one) => one !== undefined);
    if (problems.length > 0) return { kind: "refused", problems };
  }
}

async function readOne(
  { location, named, isOptional }: NeededDocument,
  texts: Record<string, string>,
  read: ReadDocument,
): Promise<Problem | undefined> {
  try {
    texts[location] = await read(location);
    return undefined;
  } catch (error) {
    if (isOptional) {
      texts[absenceOf(location)] = messageOf(error);
      return undefined;
    }
    return { ...named, message: messageOf(error) };
  }
}
