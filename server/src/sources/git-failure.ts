import { Refusal } from "#plumbing/errors";
import { printable } from "#plumbing/text/printable";
import type { GitAddress } from "#workflow/git-address";

const NOT_ALLOWED = /could not read (Username|Password)|Authentication failed|error: 40[13]/;

/** Patterns in git's messages, and the sentences for the person who gave the address. */
const SENTENCES: readonly (readonly [RegExp, (address: GitAddress) => string])[] = [
  [
    NOT_ALLOWED,
    () =>
      "It asks for a user name or a password, or does not exist: only repositories that need none can be read.",
  ],
  [
    /update url base from redirection|error: 30\d/,
    () => "Its server redirects to another address, which is not followed: give that address.",
  ],
  [
    /couldn't find remote ref|not our ref|unadvertised object|Server does not allow request/,
    ({ ref }) =>
      ref === "HEAD"
        ? "There is no Git repository at this address, or it has no commits."
        : `It has no tag, branch or commit "${ref}" (a commit is given by all of its 40 digits).`,
  ],
  [/repository '.*' not found|error: 404/, () => "There is no such repository on its host."],
  [
    /Failed to connect|Connection refused|Could not resolve|timed out|Connection reset|No route to host/i,
    () => "Its host does not answer.",
  ],
  [
    /certificate|SSL|TLS/i,
    () => "No secure connection (TLS) to its host could be made, or its certificate is not accepted.",
  ],
  [
    /is this a git repository|not valid: |does not support shallow|dumb http/i,
    () => "There is no Git repository at this address that can be read over HTTP.",
  ],
  [/Out of memory|attempting to allocate/i, () => "It holds objects that are larger than allowed."],
];

const NO_SPACE = /No space left on device|Disk quota exceeded/i;

/** Returns the refusal for a failed fetch, or for fetched objects that cannot be read. */
export function fetchRefusal(address: GitAddress, errors: string, hasCredential = false): Refusal {
  if (NO_SPACE.test(errors)) return noSpace(address);
  const isRefused = hasCredential && NOT_ALLOWED.test(errors);
  const known = isRefused
    ? "Its host does not accept the access token, or there is no such repository."
    : SENTENCES.find(([pattern]) => pattern.test(errors))?.[1](address);
  return new Refusal(
    "malformed",
    `The repository ${address.display} could not be read. ${known ?? `Git says: ${lastWords(errors)}`}`,
  );
}

/** Returns the refusal for files that could not be written: forbidden names, or a full disk. */
export function writeRefusal(address: GitAddress, errors: string): Refusal {
  if (NO_SPACE.test(errors)) return noSpace(address);
  const sentence = `The files of the repository ${address.display} could not be written. Git says: ${lastWords(errors)}`;
  return new Refusal("malformed", sentence);
}

function noSpace(address: GitAddress): Refusal {
  return new Refusal("no-space", `There is no space left on the server's disk to read ${address.display}.`);
}

function lastWords(errors: string): string {
  const lines = errors.split("\n").filter((line) => line.trim() !== "");
  const line = lines.find((one) => one.startsWith("fatal: ")) ?? lines.at(-1) ?? "nothing.";
  return printable(line.replace(/^(fatal|error): /, ""), 300);
}
