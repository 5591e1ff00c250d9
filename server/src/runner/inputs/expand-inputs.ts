import type { Clock } from "#plumbing/clock";
import { Refusal } from "#plumbing/errors";
import { isPlainPath } from "#plumbing/files/relative-path";
import { counted } from "#plumbing/text/counted";
import { parseGlob } from "#plumbing/text/glob";
import { printable } from "#plumbing/text/printable";
import { untilDone } from "#runner/jobs/until-done";
import type { DataSource, ListedObject } from "#workflow/data-source";
import {
  bucketOf,
  type ManyObjects,
  type RemoteInput,
  shownAddress,
} from "#workflow/specification/remote-inputs";
import { cleanPath } from "#workspace/safe-path";

/** An input with a single object. */
export interface OneInput {
  readonly input: RemoteInput;
  /** The object as a listing has shown it. */
  readonly listed?: ListedObject;
}

interface ExpandRequest {
  readonly inputs: readonly RemoteInput[];
  readonly secretOf: (input: RemoteInput) => Buffer | undefined;
  readonly onWaiting: (sentence: string) => void;
  readonly signal: AbortSignal;
}

interface ExpandContext {
  readonly source: Pick<DataSource, "list">;
  readonly clock: Clock;
}

/** Limit on the files of a run. One event names all of them. */
const FILES_MAX = 10_000;
/** Limit on the pages of a listing: a pattern may match few of many keys. A page has 1,000 keys. */
const PAGES_MAX = 100;

/** Lists the inputs that name many objects. Returns an entry for each object, with its place in the workspace. */
export async function expandInputs(
  context: ExpandContext,
  request: ExpandRequest,
): Promise<readonly OneInput[]> {
  const all: OneInput[] = [];
  for (const input of request.inputs) {
    if (input.many) all.push(...(await objectsOf(context, request, input, input.many)));
    else all.push({ input });
    if (all.length > FILES_MAX) throw tooMany(input);
  }
  checkPlaces(all);
  return all;
}

async function objectsOf(
  context: ExpandContext,
  request: ExpandRequest,
  input: RemoteInput,
  many: ManyObjects,
): Promise<OneInput[]> {
  const isMeant = selectionOf(many);
  const objects: ListedObject[] = [];
  for await (const page of pagesOf(context, request, input, many)) {
    objects.push(...page.filter((object) => isMeant(object)));
    if (objects.length > FILES_MAX) throw tooMany(input);
  }
  if (objects.length > 0) return objects.map((object) => placed(input, many, object));
  const shown = shownAddress(input.address);
  const what = many.pattern === undefined ? "holds no objects" : "matches no objects";
  throw new Refusal("absent", `${shown} ${what}. Correct the address.`);
}

async function* pagesOf(
  { source, clock }: ExpandContext,
  { secretOf, onWaiting, signal }: ExpandRequest,
  input: RemoteInput,
  { prefix, pattern }: ManyObjects,
): AsyncGenerator<readonly ListedObject[], void> {
  const isFlat = pattern !== undefined && !pattern.includes("/") && pattern !== "**";
  let after: string | undefined;
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const question = { place: input, secret: secretOf(input), prefix, isFlat, after, signal };
    const page = await untilDone({ clock, signal, onFault: onWaiting }, () => source.list(question));
    yield page.objects;
    if (page.next === undefined) return;
    after = page.next;
  }
  throw new Refusal(
    "too-large",
    `${shownAddress(input.address)} has more than ${PAGES_MAX} pages of keys, which is the limit. ` +
      "Give an address with a longer beginning.",
  );
}

/** Returns a test for the objects that are meant. An empty object whose key ends with `/` stands for a folder. */
function selectionOf({ pattern, baseLength }: ManyObjects): (object: ListedObject) => boolean {
  const isFolder = ({ key, bytes }: ListedObject) => bytes === 0 && (key === "" || key.endsWith("/"));
  if (pattern === undefined) return (object) => !isFolder(object);
  const glob = parseGlob(pattern);
  return (object) => !isFolder(object) && glob.matches(object.key.slice(baseLength));
}

function placed(input: RemoteInput, { baseLength }: ManyObjects, listed: ListedObject): OneInput {
  const { many: _, ...one } = input;
  const address = `s3://${bucketOf(input.address)!}/${listed.key}`;
  const rest = listed.key.slice(baseLength);
  return { input: { ...one, address, path: pathOf(input.path, rest, address) }, listed };
}

/** Returns the place of an object. Refuses a key that is not the path of a file. */
function pathOf(folder: string, rest: string, address: string): string {
  const path = folder === "" ? rest : `${folder}/${rest}`;
  const refuse = (why: string) =>
    new Refusal("malformed", `${shownAddress(address)} cannot be stored in the workspace: ${why}`);
  if (!isPlainPath(rest)) throw refuse("its key has an empty part, `.` or `..` between the slashes.");
  try {
    return cleanPath(path);
  } catch (error) {
    throw error instanceof Refusal ? refuse(error.message) : error;
  }
}

/** Refuses two inputs with one path, and a file where another input needs a folder. */
function checkPlaces(all: readonly OneInput[]): void {
  const files = new Map<string, string>();
  for (const { input } of all) {
    const first = files.get(input.path);
    if (first !== undefined)
      throw new Refusal(
        "conflict",
        `${first} and ${shownAddress(input.address)} would both be stored as ${printable(input.path, 200)}. ` +
          "Give one of them another path.",
      );
    files.set(input.path, shownAddress(input.address));
  }
  for (const { input } of all) {
    const above = foldersOf(input.path).find((folder) => files.has(folder));
    if (above === undefined) continue;
    throw new Refusal(
      "conflict",
      `${files.get(above)} is stored as a file, and ${shownAddress(input.address)} needs a folder in its place. ` +
        "Give one of them another path.",
    );
  }
}

/** `a/b/c` → `a`, `a/b` */
function foldersOf(path: string): string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}

function tooMany({ address }: RemoteInput): Refusal {
  return new Refusal(
    "too-large",
    `${shownAddress(address)} brings the inputs of the run above ${counted(FILES_MAX, "file")}, which is the limit. ` +
      "Give an address that names fewer objects.",
  );
}
