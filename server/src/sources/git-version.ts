import { Refusal } from "#plumbing/errors";
import { type GitCommand, runGit } from "#sources/git-command";

/** The first release with `http.curloptResolve`, which sets the addresses of a host. */
const OLDEST = [2, 37] as const;

/**
 * Returns a version such as `2.39.5`. Refuses if git is missing, or too old to be prevented from resolving
 * the host again.
 */
export async function checkGitVersion(
  place: Pick<GitCommand, "folder" | "searchPath" | "signal">,
): Promise<string> {
  let output = "";
  const onOutput = (chunk: Buffer): void => void (output += chunk.toString("utf8"));
  await runGit({ ...place, home: place.folder, maxMemoryBytes: 2 ** 26, args: ["version"], onOutput });
  const version = /git version (\d+)\.(\d+)\S*/.exec(output);
  const [major, minor] = [Number(version?.[1] ?? 0), Number(version?.[2] ?? 0)];
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) {
    return version![0].slice("git version ".length);
  }
  throw new Refusal(
    "not-implemented",
    `git on this server is too old to read repositories safely: ${OLDEST.join(".")} is the oldest that can. ` +
      "Ask the administrator for a newer one, or send the specification itself.",
  );
}
