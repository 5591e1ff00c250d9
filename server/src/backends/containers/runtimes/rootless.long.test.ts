import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { expect } from "vitest";
import { NO_PODMAN } from "#backends/containers/podman-fixture";
import { maybeProgram } from "#plumbing/files/find-program";
import { testUnless } from "#plumbing/needs-suite";

const TESTS = "server/src/backends/containers/runtimes/podman.slow.test.ts";
const ROOT = path.join(import.meta.dirname, "../../../../..");
const TIMEOUT_MS = 900_000;
const CAN_BE_ANOTHER =
  process.getuid?.() === 0 &&
  ["unshare", "setpriv", "newuidmap", "crun"].every((program) => maybeProgram(program) !== undefined);

/**
 * Runs a command as a user that only this mount namespace knows, with subordinate ids for podman. SCRIPT
 * FOLDER COMMAND… crun refuses control groups of both versions together, and therefore the namespace hides
 * version 2.
 */
const AS_ANOTHER = `set -e
folder=$1
mount --make-rprivate /
if mountpoint -q /sys/fs/cgroup/unified; then umount /sys/fs/cgroup/unified; fi
for file in passwd group subuid subgid; do
  touch "/etc/$file" && cp "/etc/$file" "$folder/$file"
done
echo 'reprise-test:x:54330:54330::/:/bin/bash' >> "$folder/passwd"
echo 'reprise-test:x:54330:' >> "$folder/group"
for file in subuid subgid; do echo 'reprise-test:2000000:65536' > "$folder/$file"; done
for file in passwd group subuid subgid; do mount --bind "$folder/$file" "/etc/$file"; done
mkdir -m 700 "$folder/home" "$folder/runtime"
chown -R 54330:54330 "$folder"
cd "$2"
exec setpriv --reuid 54330 --regid 54330 --init-groups env -i PATH="$PATH" HOME="$folder/home" \
  XDG_RUNTIME_DIR="$folder/runtime" TMPDIR="$folder/home" NODE_COMPILE_CACHE="$folder/home/compiled" "\${@:3}"
`;

/** The relevant part of vitest's JSON report. */
interface Report {
  readonly testResults: readonly { readonly assertionResults: readonly { readonly status: string }[] }[];
}

const hasFailed = ({ status }: { readonly status: string }) => status === "failed";

testUnless(
  NO_PODMAN ??
    (CAN_BE_ANOTHER ? undefined : "it needs root, newuidmap and crun: apt-get install uidmap crun"),
)("podman of an ordinary user keeps every promise of a backend", { timeout: TIMEOUT_MS }, async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-rootless-"));
  const report = path.join(folder, "home/report.json");
  const vitest = [path.join(ROOT, "node_modules/vitest/vitest.mjs"), "run", "--project", "slow"];
  // The other user may not write into the checkout.
  const words = [...vitest, "--configLoader", "runner", "--reporter", "json", "--outputFile", report, TESTS];
  const command = ["-m", "bash", "-c", AS_ANOTHER, "bash", folder, ROOT, process.execPath, ...words];
  const ran = promisify(execFile)("unshare", command);
  const said = await ran.then(
    ({ stderr }) => stderr,
    (error: Error) => error.message,
  );
  const result: Report = JSON.parse(readFileSync(report, "utf8"));
  const failures = result.testResults.flatMap((file) => file.assertionResults.filter(hasFailed));
  expect(failures, said).toEqual([]);
  expect(result).toMatchObject({
    numFailedTests: 0,
    numPassedTests: expect.toSatisfy((number: number) => number > 50),
  });
  rmSync(folder, { recursive: true, force: true });
});
