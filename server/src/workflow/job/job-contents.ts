import { createHash } from "node:crypto";
import type { Difference } from "#workflow/job/decision";

/**
 * The facts that determine the result of a job. A finished job does not run again while all facts are equal.
 * Limits and resources are left out, so that a raised limit does not repeat finished work.
 */
export interface JobContents {
  /** The command, with names in place of the run's own paths. */
  readonly command: string;
  readonly image: string | null;
  readonly environment: Readonly<Record<string, string>>;
  /**
   * Further facts visible to the command, such as redirected streams and staged texts, by human-readable
   * names.
   */
  readonly settings: Readonly<Record<string, string>>;
  /** Paths of input files and folders, by the names of the inputs. */
  readonly inputs: Readonly<Record<string, string>>;
}

/** The contents of a job, with the digests of its inputs. */
export interface KnownContents extends Omit<JobContents, "inputs"> {
  readonly inputs: Readonly<Record<string, KnownInput>>;
}

export interface KnownInput {
  readonly path: string;
  /** Digest of the file, or of the list of all files of a folder with their digests. */
  readonly sha256: string;
}

/** Returns one fact per field, with old and new value. Differing facts come first. */
export function compareContents(before: KnownContents, now: KnownContents): readonly Difference[] {
  const facts = [
    { field: "command", before: before.command, now: now.command },
    { field: "image", before: before.image, now: now.image },
    ...entries("environment.", before.environment, now.environment),
    ...entries("", before.settings, now.settings),
    ...entries("inputs.", digestsOf(before), digestsOf(now)),
  ];
  return facts.toSorted((one, other) => Number(differs(other)) - Number(differs(one)));
}

export function differs({ before, now }: Difference): boolean {
  return before !== now;
}

/** Returns a text that is equal exactly for equal contents. */
export function contentsKey(contents: KnownContents): string {
  const { command, image, environment, settings } = contents;
  const sorted = [environment, settings, digestsOf(contents)].map((one) =>
    Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
  return createHash("sha256")
    .update(JSON.stringify([command, image, ...sorted]))
    .digest("hex");
}

type Texts = Readonly<Record<string, string>>;

function digestsOf({ inputs }: KnownContents): Texts {
  return Object.fromEntries(Object.entries(inputs).map(([name, { sha256 }]) => [name, sha256]));
}

function entries(prefix: string, before: Texts, now: Texts): Difference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  return names.map((name) => ({
    field: `${prefix}${name}`,
    before: before[name] ?? null,
    now: now[name] ?? null,
  }));
}
