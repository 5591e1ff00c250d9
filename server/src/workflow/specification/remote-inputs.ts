import { hasParentSegment, plainPath, whyOutside } from "#plumbing/files/relative-path";
import { decodedUri } from "#plumbing/text/decoded-uri";
import { printable } from "#plumbing/text/printable";
import { isObject } from "#workflow/specification/shape";

/** A declared input that a run fetches from an address before its first job. */
export interface RemoteInput {
  /** Place in the specification: `inputs.files.0`. */
  readonly at: string;
  /** `https://…` or `s3://bucket/key`, as given. */
  readonly address: string;
  /** Path in the workspace. */
  readonly path: string;
  /** The expected checksum, in lower case. */
  readonly sha256?: string;
  /** Name of the owner's secret that holds the credentials. If absent, the request is anonymous. */
  readonly credentials?: string;
  /** The S3 service, `https://s3.example.org`. If absent, the server's default. */
  readonly endpoint?: string;
  readonly region?: string;
}

/** Why an entry cannot be fetched, in a sentence. */
interface BadInput {
  readonly at: string;
  readonly reason: string;
}

const ADDRESS = /^(https?|s3):\/\//i;
const S3_ADDRESS = /^s3:\/\/([^/]+)\/(.+)$/is;
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
    if ("reason" in one) return [];
    const first = seen.get(one.path);
    seen.set(one.path, first ?? one.at);
    if (first === undefined) return [];
    return [
      { at: one.at, reason: `${first} is already stored as ${one.path}: give one of them another path` },
    ];
  });
  return [...all.filter((one) => "reason" in one), ...repeated];
}

/** Returns where an entry is in the workspace. Undefined for an entry that is not a path or an address. */
export function maybePathOf(entry: unknown): string | undefined {
  if (!isRemote(entry)) return typeof entry === "string" && entry !== "" ? entry : undefined;
  const read = readOne("", entry);
  return "reason" in read ? undefined : read.path;
}

/** Returns the bucket and the key of an S3 address. The key is any text, and is not decoded. */
export function bucketAndKey(address: string): { readonly bucket: string; readonly key: string } | undefined {
  const [, bucket = "", key = ""] = S3_ADDRESS.exec(address) ?? [];
  return BUCKET.test(bucket) ? { bucket, key } : undefined;
}

/** Returns an address without a query, which may hold a signature. */
export function shownAddress(address: string): string {
  if (/^s3:/i.test(address)) return printable(address, 500);
  const { origin, pathname } = new URL(address);
  return printable(origin + pathname, 500);
}

function readAll(inputs: unknown): (RemoteInput | BadInput)[] {
  if (!isObject(inputs) || !Object.hasOwn(inputs, "files")) return [];
  return [inputs["files"]]
    .flat()
    .flatMap((entry, index) => (isRemote(entry) ? [readOne(`inputs.files.${index}`, entry)] : []));
}

function readOne(at: string, entry: unknown): RemoteInput | BadInput {
  const given = typeof entry === "string" ? { address: entry } : (entry as Record<string, unknown>);
  const reason = faultOf(given);
  if (reason !== undefined) return { at, reason };
  const { address, path, sha256, ...others } = given as Record<string, string>;
  return {
    ...others,
    at,
    address: address!,
    path: plainPath(path ?? nameIn(address!)),
    ...(sha256 !== undefined && { sha256: sha256.toLowerCase() }),
  };
}

function faultOf(given: Record<string, unknown>): string | undefined {
  const unknown = Object.keys(given).find((key) => !KEYS.includes(key));
  if (unknown !== undefined)
    return `'${printable(unknown, 80)}' is not a key of a fetched input: the keys are ${KEYS.join(", ")}`;
  const notText = KEYS.find(
    (key) => Object.hasOwn(given, key) && (typeof given[key] !== "string" || given[key] === ""),
  );
  if (notText !== undefined) return `${notText} must be a text`;
  const { address, path, sha256, endpoint, region } = given as Partial<Record<string, string>>;
  return (
    addressFault(address!) ??
    pathFault(address!, path) ??
    (sha256 === undefined || /^[0-9a-f]{64}$/i.test(sha256)
      ? undefined
      : "sha256 must be 64 hexadecimal digits") ??
    serviceFault(address!, endpoint, region)
  );
}

function addressFault(address: string): string | undefined {
  const shown = printable(address.replace(/\?.*$/s, ""), 200);
  if (!ADDRESS.test(address)) return `${shown} is not an address that starts with https:// or s3://`;
  if (/^s3:/i.test(address)) {
    if (bucketAndKey(address)) return undefined;
    return `${shown} is not of the form s3://bucket/key`;
  }
  if (!URL.canParse(address)) return `${shown} is not a valid address`;
  const { username, password } = new URL(address);
  if (username === "" && password === "") return undefined;
  return "an address must not hold a user or a password: name a secret with 'credentials'";
}

function pathFault(address: string, path: string | undefined): string | undefined {
  if (path !== undefined) {
    const why = whyOutside(path);
    if (why === undefined && plainPath(path) !== "" && !path.endsWith("/")) return undefined;
    return `the path ${printable(path, 200)} is not a file inside the workspace`;
  }
  const name = nameIn(address);
  if (name !== "" && name !== "." && !name.includes("/") && !name.includes("\0") && !hasParentSegment(name))
    return undefined;
  return `no file name can be taken from the address ${shownAddress(address)}: give a 'path'`;
}

function serviceFault(address: string, endpoint?: string, region?: string): string | undefined {
  if (endpoint === undefined && region === undefined) return undefined;
  if (!/^s3:/i.test(address)) return "endpoint and region are keys of s3:// addresses only";
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
