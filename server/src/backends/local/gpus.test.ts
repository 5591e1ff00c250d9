import { readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { FAKE_GPUS, fakeMachine, fakePool } from "#backends/gpus/gpu-fixture";
import { type LocalFixture, withLocal } from "#backends/local/local-fixture";
import { openSandbox } from "#backends/walls/sandbox";
import { HAS_BUBBLEWRAP } from "#backends/walls/sandbox-fixture";
import type { Job } from "#workflow/job/job";

const [FIRST, SECOND] = FAKE_GPUS;

const asking = (gpus: number, more: object = {}): Partial<Job> => ({
  resources: { cores: 1, memoryBytes: 0, gpus, ...more },
});

const claimsIn = ({ folder }: LocalFixture) => readdirSync(path.join(folder, "gpus"));

/** Opens a backend on a machine with two fake devices. */
function openWithGpus(local: LocalFixture, machine = fakeMachine(), choice?: readonly string[]) {
  return local.open({ gpus: fakePool(local.folder, choice ?? "auto", machine) });
}

describe("GPUs of local jobs", { concurrent: true }, () => {
  test(
    "each job has as many devices as requested, and a variable of the step chooses no other device",
    withLocal(async (local) => {
      const backend = openWithGpus(local);
      expect(backend.capabilities.maxGpus!()).toBe(2);
      const script = "echo $CUDA_VISIBLE_DEVICES+$NVIDIA_VISIBLE_DEVICES";
      expect((await local.run(backend, script, asking(2))).log).toBe(
        `${FIRST},${SECOND}+${FIRST},${SECOND}\n`,
      );
      const none = await local.run(backend, script, { environment: { CUDA_VISIBLE_DEVICES: "0" } });
      expect(none.log).toBe("+void\n");
      expect(claimsIn(local)).toEqual([]);
    }),
  );

  test(
    "a job keeps its device while the server is away, and the next job gets another or waits",
    withLocal(async (local) => {
      const machine = fakeMachine();
      const before = openWithGpus(local, machine);
      const long = local.request("echo $CUDA_VISIBLE_DEVICES >mine; read -r _ <gate", asking(1));
      await local.run(before, "mkfifo gate");
      await before.submit(long);
      expect(await local.written("mine")).toBe(FIRST);
      await before.close();
      const after = openWithGpus(local, machine);
      // The next server may send a new job before the running one.
      const other = await local.run(after, "echo $CUDA_VISIBLE_DEVICES", asking(1));
      expect(other.log).toBe(`${SECOND}\n`);
      const fewer = openWithGpus(local, machine, ["0"]);
      const waiting = local.request("echo $CUDA_VISIBLE_DEVICES >its", asking(1));
      expect(fewer.mayQueue!(waiting.job)).toBe(true);
      expect(await fewer.submit(waiting)).toEqual({
        status: "queued",
        reason: "it waits for 1 of 1 GPU, which other jobs are using",
      });
      await local.run(after, "echo >gate");
      await local.ended(long.id);
      expect(await local.written("its")).toBe(FIRST);
      await local.ended(waiting.id);
    }),
  );

  test(
    "a stopped job gives its device back",
    withLocal(async (local) => {
      const backend = openWithGpus(local);
      const job = local.request("echo >begun; sleep 1000", asking(2));
      await backend.submit(job);
      await local.written("begun");
      expect(claimsIn(local)).toHaveLength(2);
      await backend.cancel(job);
      expect(claimsIn(local)).toEqual([]);
    }),
  );

  test(
    "too many required devices are refused, and a job with a hint runs with fewer devices",
    withLocal(async (local) => {
      const backend = openWithGpus(local);
      await expect(backend.submit(local.request("true", asking(3)))).rejects.toThrow(
        "The job asks for 3 GPUs, and this server has 2 GPUs.",
      );
      const hint = await local.run(backend, "echo $CUDA_VISIBLE_DEVICES", asking(3, { gpusAreHint: true }));
      expect(hint.log).toBe(`${FIRST},${SECOND}\n`);
      const without = local.open();
      expect(without.capabilities.maxGpus!()).toBe(0);
      await expect(without.submit(local.request("true", asking(1)))).rejects.toThrow(
        "The job asks for a GPU, which this server cannot give.",
      );
    }),
  );

  test.skipIf(!HAS_BUBBLEWRAP)(
    "in the sandbox, a job sees the nodes of its own devices and no others",
    withLocal(async (local) => {
      const sandbox = await openSandbox(local.folder, { network: "on", mounts: [] });
      if (!("wall" in sandbox)) throw new Error(sandbox.problem);
      const backend = local.open({ gpus: fakePool(local.folder), wall: sandbox.wall });
      const script = "cd /dev; cat nvidia* 2>&1; ls -d /sys/class 2>&1";
      expect((await local.run(backend, script, asking(1))).log).toBe(
        "nvidia-uvm\nnvidia1\nnvidiactl\n/sys/class\n",
      );
      expect((await local.run(backend, "ls /dev | grep -c nvidia")).log).toBe("0\n");
    }),
  );
});
