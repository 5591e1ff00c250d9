import { Readable } from "node:stream";
import type { Caller } from "#operations/context";
import type { RunServices } from "#operations/runs/services";
import { createRun } from "#operations/runs/create/create-run";
import { startRun } from "#operations/runs/start/start-run";
import { countInStatuses } from "#store/runs/run-counts";
import { oneRun } from "#store/runs/runs";
import { RUN_STATUSES } from "#workflow/run/run-status";

const SCRIPT_FILE = "code/hello.sh";

const SCRIPT = `# Greets everybody who is named on the command line.
for name in "$@"; do
  echo "Hello, $name!"
done
`;

const SPECIFICATION = {
  version: "0.9.4",
  inputs: { files: [SCRIPT_FILE], parameters: { names: "Ada Emmy Rosalind" } },
  workflow: {
    type: "serial",
    specification: {
      steps: [
        {
          name: "greet",
          commands: ["mkdir -p results", `bash ${SCRIPT_FILE} \${names} > results/greetings.txt`],
        },
        {
          name: "show",
          commands: ["cat results/greetings.txt"],
        },
      ],
    },
  },
  outputs: { files: ["results/greetings.txt"] },
};

/** Creates a small run for a user without any runs, to show a working run at the first visit. */
export async function makeSampleRun(context: RunServices, caller: Caller): Promise<void> {
  // Deleted runs count: a user who deleted the sample does not get it again.
  if ((await countInStatuses(context.db, caller.id, RUN_STATUSES)) > 0) return;
  const { id } = await createRun(context, caller, { name: "hello", document: SPECIFICATION });
  const { workspaceId } = await oneRun(context.db, id);
  await context.workspaces.of(workspaceId).write(SCRIPT_FILE, Readable.from([Buffer.from(SCRIPT)]));
  await startRun(context, caller, { address: id, parameters: {}, options: {} });
}
