import { createHash } from "node:crypto";
import { hasParentSegment, plainPath, whyOutside } from "#plumbing/files/relative-path";
import { fitsPattern, hasMagic } from "#plumbing/text/glob";
import { decodedUri } from "#plumbing/text/decoded-uri";
import { printable } from "#plumbing/text/printable";
import { isObject } from "#workflow/specification/shape";

/** A declared input that a run fetches from an address before its first job. */
export interface RemoteInput {
  /** Place in the specification: `inputs.files.0`. */
  readonly at: string;
  /** `https://…`, `s3://bucket/key` or `root://host//path`, as given. */
  readonly address: string;
  /** Path in the workspace. For many objects, their folder: empty for the workspace itself. */
  readonly path: string;
  /** Set if the address names all objects of a folder, or those that match a pattern. */
  readonly many?: ManyObjects;
  /** The expected checksum, in lower case. */
  readonly sha256?: string;
  /** Name of the owner's secret that holds the credentials. If absent, the request is anonymous. */
  readonly credentials?: string;
  /** The S3 service, `https://s3.example.org`. If absent, the server's default. */
  readonly endpoint?: string;
  readonly region?: string;
}

/** The objects of a bucket that an entry names. */
export interface ManyObjects {
  /** Beginning of all keys. */
  readonly prefix: string;
  /** Length of the beginning that is no part of a file's path. */
  readonly baseLength: number;
  /** Matches the rest of a key behind the base. If absent, all keys are meant. */
  readonly pattern?: string;
}

/** Why an entry cannot be fetched, in a sentence. */
interface BadInput {
  readonly at: string;
  readonly reason: string;
}

const ADDRESS = /^(https?|s3|x?roots?):\/\//i;
/** The program takes options from the part behind a question mark. */
const XROOTD_ADDRESS =
  /^x?roots?:\/\/(?:[a-z0-9][a-z0-9.-]*|\[[0-9a-f:.]+\])(?::\d{1,5})?\/\/?[^/?#\s][^?#\s]*$/i;
/** Why an address of XRootD cannot be read on a machine. */
export const NO_XRDCP =
  "this machine has no xrdcp. Install it (Debian: apt install xrootd-client), or give an https address of the file.";
const S3_ADDRESS = /^s3:\/\/([^/]+)(?:\/(.*))?$/is;
const BUCKET = /^[a-z0-9][a-z0-9._-]{1,253}[a-z0-9]$/i;
const KEYS = ["address", "path", "sha256", "credentials", "endpoint", "region"];

/** Returns whether an entry of `inputs.files` is an address, or a mapping with one. */
export function isRemote(entry: unknown): boolean {
  return typeof entry === "string" ? ADDRESS.test(entry) : isObject(entry) && Object.hasOwn(entry, "address");
}

/** Returns the inputs of a checked specification that are fetched from addresses. */
export function remoteInputsOf(inputs: unknown): readonly RemoteInput[] {
  return readAll(inputs).filter((one): one is RemoteInput => !("reason" in one));
}

/** Returns the names of the secrets that hold credentials for inputs. No job receives these secrets. */
export function credentialsOf(inputs: unknown): ReadonlySet<string> {
  return new Set(remoteInputsOf(inputs).flatMap(({ credentials }) => credentials ?? []));
}

/** Returns the faults of remote inputs: each alone, and two with one path. */
export function badRemoteInputs(inputs: unknown): readonly BadInput[] {
  const all = readAll(inputs);
  const seen = new Map<string, string>();
  const repeated = all.flatMap((one) => {
    // The matches of several patterns may be in one folder.
    if ("reason" in one || one.many?.pattern !== undefined) return [];
    const first = seen.get(one.path);
    seen.set(one.path, first ?? one.at);
    if (first === undefined) return [];
    return [
      { at: one.at, reason: `${first} is already stored as ${one.path}: give one of them another path` },
    ];
  });
  return [...all.filter((one) => "reason" in one), ...repeated];
}

export type Section = "files" | "directories";

/**
 * Returns an address that a document of the workflow names, as an input with a folder of its own: two addresses may end
 * with the same name.
 */
export function inputAt(at: string, address: string, section: Section): RemoteInput | BadInput {
  const read = readOne(at, address, section);
  if ("reason" in read) return read;
  if (read.many && (section === "files" || read.many.pattern !== undefined))
    return { at, reason: `${shownAddress(address)} names many objects, and one is needed` };
  const digest = createHash("sha256").update(address).digest("hex");
  return { ...read, path: `fetched/${digest.slice(0, 12)}/${read.path}` };
}

/** Returns where an entry is in the workspace. Undefined for an entry that is not a path or an address. */
export function maybePathOf(entry: unknown, section: Section): string | undefined {
  if (!isRemote(entry)) return typeof entry === "string" && entry !== "" ? entry : undefined;
  const read = readOne("", entry, section);
  if ("reason" in read) return undefined;
  const pattern = read.many?.pattern;
  const path = read.path === "" ? "." : read.path;
  if (pattern === undefined) return path;
  return path === "." ? pattern : `${path}/${pattern}`;
}

/** Returns whether an address is one of an S3 service. */
export function isS3(address: string): boolean {
  return /^s3:/i.test(address);
}

/** Returns whether an address is one of XRootD: `root://host//path`. */
export function isXrootd(address: string): boolean {
  return /^x?roots?:/i.test(address);
}

/** Returns the bucket of an S3 address. Undefined for a name that no bucket can have. */
export function bucketOf(address: string): string | undefined {
  const [, bucket = ""] = S3_ADDRESS.exec(address) ?? [];
  return BUCKET.test(bucket) ? bucket : undefined;
}

/** Returns the bucket and the key of an S3 address. The key is any text, and is not decoded. */
export function bucketAndKey(address: string): { readonly bucket: string; readonly key: string } | undefined {
  const [, , key = ""] = S3_ADDRESS.exec(address) ?? [];
  const bucket = bucketOf(address);
  return bucket !== undefined && key !== "" ? { bucket, key } : undefined;
}

/** Returns an address without a query, which may hold a signature. */
export function shownAddress(address: string): string {
  if (isS3(address) || isXrootd(address)) return printable(address, 500);
  const { origin, pathname } = new URL(address);
  return printable(origin + pathname, 500);
}

function readAll(inputs: unknown): (RemoteInput | BadInput)[] {
  if (!isObject(inputs)) return [];
  return (["files", "directories"] as const).flatMap((section) =>
    (Object.hasOwn(inputs, section) ? [inputs[section]].flat() : []).flatMap((entry, index) =>
      isRemote(entry) ? [readOne(`inputs.${section}.${index}`, entry, section)] : [],
    ),
  );
}

function readOne(at: string, entry: unknown, section: Section): RemoteInput | BadInput {
  const given = typeof entry === "string" ? { address: entry } : (entry as Record<string, unknown>);
  const reason = faultOf(given, section);
  if (reason !== undefined) return { at, reason };
  const { address, path, sha256, ...others } = given as Record<string, string>;
  const many = manyObjectsOf(address!, section);
  return {
    ...others,
    at,
    address: address!,
    path: plainPath(path ?? (many ? folderNameOf(address!, many) : nameIn(address!))),
    ...(many && { many }),
    ...(sha256 !== undefined && { sha256: sha256.toLowerCase() }),
  };
}

/** Lists the objects of an address that names many: a folder, or a pattern. */
function manyObjectsOf(address: string, section: Section): ManyObjects | undefined {
  if (!isS3(address)) return undefined;
  const [, , key = ""] = S3_ADDRESS.exec(address) ?? [];
  if (hasMagic(key)) {
    const prefix = key.slice(0, key.search(/[*?[]/));
    const baseLength = prefix.lastIndexOf("/") + 1;
    return { prefix, baseLength, pattern: key.slice(baseLength) };
  }
  if (section === "files" && key !== "" && !key.endsWith("/")) return undefined;
  const prefix = key === "" || key.endsWith("/") ? key : `${key}/`;
  return { prefix, baseLength: prefix.length };
}

/** Returns the folder of many objects: the last part of the address. The matches of a pattern are at the top. */
function folderNameOf(address: string, { prefix, pattern }: ManyObjects): string {
  if (pattern !== undefined) return "";
  return prefix.split("/").at(-2) ?? bucketOf(address)!;
}

function faultOf(given: Record<string, unknown>, section: Section): string | undefined {
  const unknown = Object.keys(given).find((key) => !KEYS.includes(key));
  if (unknown !== undefined)
    return `'${printable(unknown, 80)}' is not a key of a fetched input: the keys are ${KEYS.join(", ")}`;
  const notText = KEYS.find(
    (key) => Object.hasOwn(given, key) && (typeof given[key] !== "string" || given[key] === ""),
  );
  if (notText !== undefined) return `${notText} must be a text`;
  const { address, path, sha256, endpoint, region } = given as Partial<Record<string, string>>;
  return (
    addressFault(address!, section) ??
    pathFault(address!, path, section) ??
    (sha256 !== undefined && manyObjectsOf(address!, section)
      ? "sha256 is a key of single files only: this address names many"
      : undefined) ??
    (sha256 === undefined || /^[0-9a-f]{64}$/i.test(sha256)
      ? undefined
      : "sha256 must be 64 hexadecimal digits") ??
    (given["credentials"] !== undefined && isXrootd(address!)
      ? "root:// addresses are read without credentials: fetch the file in a step with voms_proxy"
      : undefined) ??
    serviceFault(address!, endpoint, region)
  );
}

function addressFault(address: string, section: Section): string | undefined {
  const shown = printable(address.replace(/\?.*$/s, ""), 200);
  if (!ADDRESS.test(address)) return `${shown} is not an address that starts with https://, s3:// or root://`;
  if (isS3(address)) {
    if (bucketOf(address) === undefined || (section === "files" && !/^s3:\/\/[^/]+\//i.test(address)))
      return `${shown} is not of the form s3://bucket/key`;
    const pattern = manyObjectsOf(address, section)?.pattern;
    return pattern === undefined || fitsPattern(pattern) ? undefined : `the pattern ${shown} is too long`;
  }
  if (isXrootd(address) && !XROOTD_ADDRESS.test(address))
    return `${shown} is not of the form root://host//path`;
  if (section === "directories")
    return `${shown} is not a folder that can be listed: folders are read from s3:// only`;
  if (!URL.canParse(address)) return `${shown} is not a valid address`;
  const { username, password } = new URL(address);
  if (username === "" && password === "") return undefined;
  return "an address must not hold a user or a password: name a secret with 'credentials'";
}

function pathFault(address: string, path: string | undefined, section: Section): string | undefined {
  const many = manyObjectsOf(address, section);
  if (path !== undefined) {
    const isFile = plainPath(path) !== "" && !path.endsWith("/");
    if (whyOutside(path) === undefined && (many || isFile)) return undefined;
    return `the path ${printable(path, 200)} is not a ${many ? "folder" : "file"} inside the workspace`;
  }
  const name = many ? folderNameOf(address, many) : nameIn(address);
  if (many && name === "" && many.pattern !== undefined) return undefined;
  if (name !== "" && name !== "." && !name.includes("/") && !name.includes("\0") && !hasParentSegment(name))
    return undefined;
  return `no file name can be taken from the address ${shownAddress(address)}: give a 'path'`;
}

/** Returns why the service of an address cannot be used. */
export function serviceFault(address: string, endpoint?: string, region?: string): string | undefined {
  if (endpoint === undefined && region === undefined) return undefined;
  if (!isS3(address)) return "endpoint and region are keys of s3:// addresses only";
  if (region !== undefined && !/^[a-z0-9-]{1,64}$/i.test(region))
    return "region must be a word such as eu-west-1";
  const sample = endpoint?.replace("{bucket}", "bucket");
  if (sample === undefined || (/^https?:\/\/[^\s@?#]+$/.test(sample) && URL.canParse(sample)))
    return undefined;
  return "endpoint must be an https address without a user or a query";
}

/** Returns the last part of an address: the name of the file, decoded. */
function nameIn(address: string): string {
  const s3 = bucketAndKey(address);
  if (s3) return s3.key.slice(s3.key.lastIndexOf("/") + 1);
  const { pathname } = new URL(address);
  return decodedUri(pathname.slice(pathname.lastIndexOf("/") + 1));
}
