import { backendContract } from "#backends/contract-suite";
import { folderOf, removeTree } from "#backends/backend-fixture";
import { openLocalBackend } from "#backends/local/local-backend";
import { BOOT_ID, HOST_ID } from "#backends/local/local-fixture";
import { NO_BUBBLEWRAP } from "#backends/walls/sandbox-fixture";
import { openSandbox } from "#backends/walls/sandbox";
import { systemClock } from "#plumbing/clock";
import { describeUnless } from "#plumbing/needs-suite";

const log = {
  error(details: object, message: string) {
    throw new Error(message, { cause: details });
  },
};

async function open(folder: string, hostId = HOST_ID) {
  const sandbox = await openSandbox(folder, { network: "on", mounts: [] });
  if (!("wall" in sandbox)) throw new Error(sandbox.problem);
  return openLocalBackend({
    folder,
    hostId,
    bootId: BOOT_ID,
    clock: systemClock,
    maxOutputBytes: 2 ** 20,
    removeTree,
    log,
    wall: sandbox.wall,
  });
}

describeUnless(NO_BUBBLEWRAP)("in the sandbox", () => {
  backendContract("The local backend", async (folder) => ({
    backend: await open(folder),
    reopen: () => open(folder),
    openCopy: async (files) => open(await folderOf(files), "host of the copy"),
  }));
});
