import { printable } from "#plumbing/text/printable";
import { pathsIn } from "#workflow/specification/declared-paths";
import { bucketOf, credentialsOf, isS3, serviceFault } from "#workflow/specification/remote-inputs";
import { isObject } from "#workflow/specification/shape";
import type { Specification } from "#workflow/specification/specification";

/** The place in an S3 service where a run publishes its outputs at its end. */
export interface OutputDestination {
  /** `s3://bucket/prefix`, as given. */
  readonly address: string;
  readonly bucket: string;
  /** Beginning of all keys: empty, or with a `/` at the end. */
  readonly prefix: string;
  /** Name of the owner's secret that holds the credentials. If absent, requests are anonymous. */
  readonly credentials?: string;
  /** The S3 service. If absent, the server's default. */
  readonly endpoint?: string;
  readonly region?: string;
}

const KEYS = ["address", "credentials", "endpoint", "region"];
const AT = "outputs.destination";

/** Returns the destination of a checked specification. */
export function destinationOf(outputs: unknown): OutputDestination | undefined {
  const given = givenIn(outputs);
  if (!given || faultOf(given, outputs) !== undefined) return undefined;
  const { address, credentials, endpoint, region } = given as Record<string, string>;
  const prefix = address!.replace(/^s3:\/\/[^/]+\/?/i, "").replace(/\/+$/, "");
  return {
    address: address!,
    bucket: bucketOf(address!)!,
    prefix: prefix === "" ? "" : `${prefix}/`,
    ...(credentials !== undefined && { credentials }),
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
  };
}

/** Returns why outputs cannot be published there, in a sentence. */
export function badDestination(
  outputs: unknown,
): { readonly at: string; readonly reason: string } | undefined {
  const given = givenIn(outputs);
  const reason = given && faultOf(given, outputs);
  return reason === undefined ? undefined : { at: AT, reason };
}

/** Returns the names of the secrets that hold credentials for inputs and outputs. No job receives these secrets. */
export function withheldSecrets({
  inputs,
  outputs,
}: Pick<Specification, "inputs" | "outputs">): ReadonlySet<string> {
  const own = destinationOf(outputs)?.credentials;
  return new Set([...credentialsOf(inputs), ...(own === undefined ? [] : [own])]);
}

function givenIn(outputs: unknown): Record<string, unknown> | undefined {
  if (!isObject(outputs) || !Object.hasOwn(outputs, "destination")) return undefined;
  const { destination } = outputs;
  return isObject(destination) ? destination : { address: destination };
}

function faultOf(given: Record<string, unknown>, outputs: unknown): string | undefined {
  const unknown = Object.keys(given).find((key) => !KEYS.includes(key));
  if (unknown !== undefined)
    return `'${printable(unknown, 80)}' is not a key of a destination: the keys are ${KEYS.join(", ")}`;
  const notText = KEYS.find(
    (key) => Object.hasOwn(given, key) && (typeof given[key] !== "string" || given[key] === ""),
  );
  if (notText !== undefined || !Object.hasOwn(given, "address"))
    return `${notText ?? "address"} must be a text`;
  const { address, endpoint, region } = given as Partial<Record<string, string>>;
  return (
    addressFault(address!) ??
    serviceFault(address!, endpoint, region) ??
    (pathsIn(outputs).length > 0 ? undefined : "no outputs are declared that could be published there")
  );
}

function addressFault(address: string): string | undefined {
  const shown = printable(address.replace(/\?.*$/s, ""), 200);
  if (!isS3(address) || bucketOf(address) === undefined)
    return `${shown} is not of the form s3://bucket/prefix`;
  const parts = address
    .replace(/^s3:\/\/[^/]+\/?/i, "")
    .replace(/\/$/, "")
    .split("/");
  const isOdd = parts.length > 1 && parts.includes("");
  return isOdd || parts.includes("..") || parts.includes(".") || address.includes("\0")
    ? `${shown} has an empty part, '.' or '..' between the slashes`
    : undefined;
}
