import { systemClock } from "#plumbing/clock";
import { systemRandom } from "#plumbing/ids";
import { jobOf, removeTree, watchEnds } from "#backends/backend-fixture";
import { readBootId } from "#backends/process/table/boot-id";
import { openLocalBackend } from "#backends/local/local-backend";

/**
 * Started by inherited.test.ts with more than a server expects to inherit. Runs one job in the given folders, and
 * prints what the job printed.
 */
const [folder, workspaceFolder, script] = process.argv.slice(2) as [string, string, string];
const bootId = readBootId();
const log = { error: (_: object, message: string) => void process.stderr.write(message) };
const backend = openLocalBackend({
  folder,
  hostId: "h",
  bootId,
  clock: systemClock,
  maxOutputBytes: 2 ** 20,
  removeTree,
  log,
});
const ends = watchEnds(backend);
const id = systemRandom.uuid();
await backend.submit({ id, job: jobOf(script), workspaceFolder, hostToken: bootId });
await ends.of(id);
process.stdout.write(await backend.readLog(id, 0, 10_000));
await backend.close();
