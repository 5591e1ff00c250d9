import { Refusal } from "#plumbing/errors";
import { printable } from "#plumbing/text/printable";

/**
 * The address of a specification in a Git repository:
 *
 *     https://host[:port]/path/of/repository[.git] [@ref] [#path/in/repository]
 *
 * - `ref` is a tag, a branch, or a full 40-digit commit (tags take precedence over branches). Without a ref, the
 *   repository's default branch is read.
 * - `path/in/repository` is a folder that contains `reana.yaml`, or the YAML file itself. In both cases the workflow gets
 *   the files of that folder, because a specification names files relative to its own place.
 * - The ref may come last instead, `…/repository#path@ref`, after the last `@`. A path that contains an `@` needs the
 *   first form, with `@HEAD` for the default branch.
 * - An `@`, `#` or `%` that belongs to a name is written `%40`, `%23`, `%25`.
 *
 * Parsing makes no network request, and no message repeats the text before an `@`: it may be a password.
 */
export interface GitAddress {
  /**
   * The URL for git: scheme, host, port and path, as a URL parser writes them, so that check and git agree on
   * the host.
   */
  readonly url: string;
  readonly isHttps: boolean;
  /** Host name in lower case, without the brackets of an IPv6 address. */
  readonly host: string;
  readonly port: number;
  /** Default: `HEAD`. */
  readonly ref: string;
  /** Path without leading or trailing slashes; `""` is the root. */
  readonly path: string;
  /** The address in its first form, for people. */
  readonly display: string;
}

const MAX_ADDRESS_LENGTH = 2048;
const EXAMPLE = "https://host/owner/repository";

export function parseGitAddress(text: string): GitAddress {
  if (text.length > MAX_ADDRESS_LENGTH) refuse(`is longer than ${MAX_ADDRESS_LENGTH} characters`);
  if (text.trim() !== text || /\p{Cc}/u.test(text))
    refuse("holds white space at an end, or control characters");
  checkScheme(text);
  const hash = text.indexOf("#");
  const location = hash === -1 ? text : text.slice(0, hash);
  const fragment = hash === -1 ? "" : text.slice(hash + 1);
  const { base, ref: refBefore } = splitLocation(location);
  const { path, ref: refBehind } = splitFragment(fragment, refBefore !== undefined);
  const url = parseUrl(base);
  const ref = checkRef(decode(refBefore ?? refBehind ?? "HEAD"));
  const checkedPath = checkPath(decode(path));
  return {
    url: url.href,
    isHttps: url.protocol === "https:",
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(url.port || (url.protocol === "https:" ? 443 : 80)),
    ref,
    path: checkedPath,
    display: `${url.href}${ref === "HEAD" ? "" : `@${ref}`}${checkedPath === "" ? "" : `#${checkedPath}`}`,
  };
}

/**
 * Adds a path inside the repository to an address without a path. Returns undefined if the address has a path
 * already.
 */
export function maybeAddressOfPath(address: string, path: string): string | undefined {
  if (address.includes("#")) return undefined;
  const plain = path.replace(/^\/+/, "").replaceAll(/[%#@]/g, (sign) => encodeURIComponent(sign));
  return `${address}#${plain}`;
}

/** Matches `https://host/a/b` and `git@host:a/b`. Whether the address is allowed is checked when it is read. */
export function looksLikeAddress(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) || /^[\w.-]+@[\w.-]+:/.test(text);
}

/**
 * Returns the last names in an address, unchecked: the repository, and the folder inside the repository,
 * which may be `""`.
 */
export function namesInAddress(address: string): { readonly repository: string; readonly folder: string } {
  const [location = "", inside = ""] = address.split("#", 2).map((part) => part.replace(/@[^@/:]*$/, ""));
  return {
    repository: location.replace(/\/+$/, "").replace(/\.git$/, ""),
    folder: inside.replace(/(^|\/)[^/]*\.ya?ml$/i, "").replace(/\/+$/, ""),
  };
}

function checkScheme(text: string): void {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  const isScp = scheme === undefined && /^[^/]+@[^/]+:/.test(text);
  if (scheme === undefined && !isScp) refuse("does not begin with https://");
  if (scheme === "http" || scheme === "https") return;
  const shown = isScp ? "ssh" : printable(scheme ?? "", 20);
  throw new Refusal(
    "not-implemented",
    `Git repositories are read over https only, not over "${shown}". Give an address like ${EXAMPLE}.`,
  );
}

/** Splits `https://host/path@ref` into base and ref. An `@` before the first slash is user information. */
function splitLocation(location: string): { base: string; ref: string | undefined } {
  const match = /^(https?:\/\/)([^/]+)(.*)$/i.exec(location);
  if (match === null) refuse("has no // and no host after its scheme");
  const [, scheme = "", authority = "", rest = ""] = match;
  if (authority.includes("@")) {
    refuse("holds a user name or a password. Only repositories that need none can be read");
  }
  if (/[\\?]/.test(authority + rest)) refuse('holds a "?" or a "\\", which no address of a repository has');
  const at = rest.indexOf("@");
  const path = at === -1 ? rest : rest.slice(0, at);
  return { base: scheme + authority + path, ref: at === -1 ? undefined : rest.slice(at + 1) };
}

function splitFragment(fragment: string, hasRef: boolean): { path: string; ref: string | undefined } {
  const at = hasRef ? -1 : fragment.lastIndexOf("@");
  if (at === -1) return { path: fragment, ref: undefined };
  return { path: fragment.slice(0, at), ref: fragment.slice(at + 1) };
}

function parseUrl(base: string): URL {
  const url = URL.canParse(base) ? new URL(base) : refuse("has no host or no path that could be understood");
  url.hostname = url.hostname.replace(/\.$/, "");
  url.pathname = url.pathname.replace(/\/+$/, "");
  if (url.hostname === "" || /^\/*$/.test(url.pathname)) refuse("names no repository on its host");
  return url;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return refuse("holds a % that is not followed by two hexadecimal digits of UTF-8");
  }
}

/**
 * Applies the rules of `git check-ref-format`, and forbids `+`, `:` and a leading `-`, which would make it another
 * argument.
 */
function checkRef(ref: string): string {
  const isWrong =
    ref.length > 250 ||
    /[\p{Cc} ~^:?*[\\]|\.\.|@\{|\/\//u.test(ref) ||
    /^(?:[-/+.]|@$|$)|[/.]$|\.lock$|\/\./.test(ref);
  if (isWrong) refuse(`names no branch, tag or commit after its @: "${printable(ref, 80)}" cannot be one`);
  return /^[0-9a-f]{40}$/i.test(ref) ? ref.toLowerCase() : ref;
}

function checkPath(path: string): string {
  const plain = path.replace(/^\/+|\/+$/g, "");
  if (plain === "") return "";
  const parts = plain.split("/");
  const isWrong = /\p{Cc}/u.test(plain) || parts.some((part) => /^(?:\.{0,2}|\.git)$/i.test(part));
  if (isWrong)
    refuse(`names no path inside the repository after its #: "${printable(path, 80)}" cannot be one`);
  return plain;
}

function refuse(reason: string): never {
  throw new Refusal("malformed", `The address of the repository ${reason}. Give one like ${EXAMPLE}.`);
}
