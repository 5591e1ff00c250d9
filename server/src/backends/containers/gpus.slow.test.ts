import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { jobOf, watchEnds } from "#backends/backend-fixture";
import { openContainers } from "#backends/containers/containers-fixture";
import { BASH_IMAGE, NO_PODMAN, openPodman, type Podman } from "#backends/containers/podman-fixture";
import type { Gpu, Gpus } from "#backends/gpus/gpu";
import { openGpuPool } from "#backends/gpus/gpu-pool";
import { BOOT_ID } from "#backends/local/local-fixture";
import { systemRandom } from "#plumbing/ids";
import { describeUnless } from "#plumbing/needs-suite";

/** A device whose nodes are harmless devices of every machine, under other names. */
const gpuOf = (index: number): Gpu => ({
  vendor: "nvidia",
  id: `GPU-${index}`,
  index,
  name: "Fake",
  nodes: [{ from: "/dev/null", at: `/dev/nvidia${index}` }],
});
const found = [gpuOf(0), gpuOf(1)];
const GPUS: Gpus = {
  found,
  offered: found,
  problems: [],
  sharedNodes: () => [{ from: "/dev/zero", at: "/dev/nvidiactl" }],
};
const LOOK =
  'for node in /dev/nvidia*; do if [ -c "$node" ]; then echo "$node"; fi; done; echo "$CUDA_VISIBLE_DEVICES"';

describeUnless(NO_PODMAN)("a job in a container of podman", () => {
  let podman: Podman;
  let folder: string;
  beforeAll(async () => {
    podman = openPodman();
    folder = await mkdtemp(path.join(os.tmpdir(), "reprise-jobs-"));
  });
  afterAll(async () => {
    podman.close();
    await rm(folder, { recursive: true, force: true });
  });

  test("shows the GPUs of the job only, and no GPU to a job without a demand", async () => {
    const gpus = openGpuPool({ folder: path.join(folder, "gpus"), gpus: GPUS, hasEnded: () => false });
    const backend = openContainers(podman, folder, "host-of-gpus", { local: { gpus } });
    const ends = watchEnds(backend);
    const workspaceFolder = await mkdtemp(path.join(os.tmpdir(), "reprise-workspace-"));
    const logOf = async (wanted: number) => {
      const job = jobOf(LOOK, {
        image: BASH_IMAGE,
        resources: { cores: 1, memoryBytes: 0, gpus: wanted },
      });
      const id = systemRandom.uuid();
      await backend.submit({ id, job, workspaceFolder, hostToken: BOOT_ID });
      expect(await ends.of(id)).toMatchObject({ reason: "exited", exitCode: 0 });
      return String(await backend.readLog(id, 0, 2 ** 20));
    };
    expect(await logOf(1)).toBe("/dev/nvidia0\n/dev/nvidiactl\nGPU-0\n");
    expect(await logOf(2)).toBe("/dev/nvidia0\n/dev/nvidia1\n/dev/nvidiactl\nGPU-0,GPU-1\n");
    expect(await logOf(0)).toBe("\n");
    await backend.close();
    await rm(workspaceFolder, { recursive: true, force: true });
  });
});
