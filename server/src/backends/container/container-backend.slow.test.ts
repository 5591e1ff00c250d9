import { afterAll, beforeAll, describe } from "vitest";
import { folderOf } from "#backends/backend-fixture";
import { openContainers } from "#backends/container/containers-fixture";
import { BASH_IMAGE, HAS_PODMAN, openPodman, type Podman } from "#backends/container/podman-fixture";
import { backendContract } from "#backends/contract-suite";

describe.runIf(HAS_PODMAN)("in containers of podman", () => {
  let podman: Podman;
  beforeAll(() => {
    podman = openPodman();
  });
  afterAll(() => podman.close());

  const open = (folder: string, hostId: string) =>
    openContainers(podman, folder, hostId, { defaultImage: BASH_IMAGE });

  backendContract("A container", async (folder) => ({
    backend: open(folder, "test-host"),
    reopen: async () => open(folder, "test-host"),
    openCopy: async (files) => open(await folderOf(files), "host of the copy"),
  }));
});
