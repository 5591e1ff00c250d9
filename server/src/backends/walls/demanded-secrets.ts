import { printable } from "#plumbing/text/printable";
import type { Job } from "#workflow/job/job";
import type { JobSecrets } from "#workflow/people/secret";

/** A job with its secrets, before it starts. */
export interface Demand {
  readonly job: Pick<Job, "kerberos" | "vomsProxy" | "rucio" | "user">;
  readonly secrets?: JobSecrets | undefined;
}

/** A secret that a credential is made from. */
interface WantedSecret {
  readonly name: string;
  readonly type: "env" | "file";
  /** Says what the secret holds, in parentheses after its name. */
  readonly holds: string;
}

/** Throws if a secret is absent. The sentence begins with `demand`, such as "The step needs a Kerberos ticket". */
export function checkPresent(
  demand: string,
  secrets: JobSecrets | undefined,
  wanted: readonly WantedSecret[],
): void {
  const missing = wanted
    .filter(({ name, type }) =>
      type === "env" ? secrets?.environment[name] === undefined : !secrets?.files.has(name),
    )
    .map(({ name, holds }) => `${name} (${holds})`);
  if (missing.length === 0) return;
  const all = missing.length > 1 ? "them" : "it";
  throw refused(
    demand,
    `its user has no secret ${missing.join(" and no secret ")}: add ${all} with reprise secrets add`,
  );
}

/** Returns the content of the file secret that another secret names. Throws if there is none. */
export function namedFile(demand: string, { environment, files }: JobSecrets, by: string): Buffer {
  const name = environment[by]!.trim();
  const content = files.get(name);
  if (!content) throw refused(demand, `there is no secret file "${printable(name, 100)}", which ${by} names`);
  return content;
}

export function refused(demand: string, why: string): Error {
  return new Error(`${demand}, and ${why}.`);
}
