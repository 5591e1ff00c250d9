import type { CliContext } from "#cli/context";
import { nearestWord } from "#plumbing/text/nearest-word";

/** Variables outside the server's settings: for commands, for jobs and for tests. */
const OTHERS = /^REPRISE_(SERVER|TOKEN|WORKON|JOB_ID|JOB_MARK|TEST_.*)$/;

/**
 * Returns a sentence for each variable that looks like a setting but is none, since a typo would otherwise go
 * unnoticed.
 */
export function unknownSettings({
  environment,
  settings,
}: Pick<CliContext, "environment" | "settings">): string[] {
  const known = settings.map(({ variable }) => variable);
  const unknown = Object.keys(environment).filter(
    (name) => name.startsWith("REPRISE_") && !known.includes(name) && !OTHERS.test(name),
  );
  return unknown.map((name) => {
    const nearest = nearestWord(name, known);
    return `${name} is no setting${nearest === undefined ? "." : `; did you mean ${nearest}?`}`;
  });
}
