import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FAKE_GPUS, fakeMachine, fakePool } from "#backends/gpus/gpu-fixture";
import { withLocal } from "#backends/local/local-fixture";
import { createGpuWatch, sampleGpus } from "#backends/process/keeper/gpu-use";
import type { FoundJob } from "#backends/process/keeper/find-job";
import { HOST_ENVIRONMENT } from "#backends/process/slots/host-environment";

const bin = mkdtempSync(path.join(os.tmpdir(), "reprise-nvidia-smi-"));
const before = { ...HOST_ENVIRONMENT };

/** The keeper looks for `nvidia-smi` in this PATH. */
beforeAll(() => {
  HOST_ENVIRONMENT.PATH = `${bin}:${before.PATH}`;
});
afterAll(() => {
  HOST_ENVIRONMENT.PATH = before.PATH;
  rmSync(bin, { recursive: true });
});

/** Puts an `nvidia-smi` into the PATH that gives these answers. */
function answer(...lines: readonly string[]): void {
  const script = `#!/bin/sh\ncat <<'END'\n${lines.join("\n")}\nEND\n`;
  writeFileSync(path.join(bin, "nvidia-smi"), script);
  chmodSync(path.join(bin, "nvidia-smi"), 0o755);
}

test("the end of a job tells how long its GPUs were busy, and the peak of their memory", async () => {
  const [first, second] = FAKE_GPUS;
  answer(`${first}, 50, 1000`, `${second}, [N/A], 24`, "GPU-of-others, 100, 9999");
  await withLocal(async (local) => {
    const backend = local.open({ gpus: fakePool(local.folder, "auto", fakeMachine()) });
    await local.run(backend, "mkfifo gate");
    const request = local.request("read -r _ <gate", { resources: { cores: 1, memoryBytes: 0, gpus: 2 } });
    await backend.submit(request);
    const busyMs = async () =>
      Number([...(await local.record(request.id)).matchAll(/^gpu (\d+) /gm)].at(-1)?.[1] ?? 0);
    await expect.poll(busyMs).toBeGreaterThan(900);
    await local.run(backend, "echo >gate");
    await local.ended(request.id);
    await expect
      .poll(() => backend.submit(request))
      .toMatchObject({ status: "ended", end: { usage: { gpuPeakBytes: 1024 * 2 ** 20 } } });
    const state = await backend.submit(request);
    const { end } = state as Extract<typeof state, { status: "ended" }>;
    expect(end.usage!.gpuMs).toBeGreaterThan(900);
    // Half of the first device: the second device reports no use.
    expect(end.usage!.gpuMs).toBeLessThan(end.endedAtMs - end.startedAtMs!);
  })();
});

/** A folder of jobs with a claim of a job on a device. */
function claimed(device: string, jobId: string): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-gpu-use-"));
  mkdirSync(path.join(folder, "gpus"));
  writeFileSync(path.join(folder, "gpus", device), `${jobId}\n`);
  return folder;
}

const found = (id: string) => ({ id, claim: `claimed ${id}`, said: {} }) as FoundJob;

test("the program of the GPUs is not called without a job that has a GPU", () => {
  const folder = claimed(FAKE_GPUS[0], "gone");
  expect(sampleGpus({ folder, gpus: createGpuWatch() }, [found("other")])).toBeUndefined();
  expect(sampleGpus({ folder: bin, gpus: createGpuWatch() }, [found("other")])).toBeUndefined();
});

test("the driver of AMD is read from its files, and not asked again at once", async () => {
  const root = mkdtempSync(path.join(os.tmpdir(), "reprise-amd-"));
  const device = path.join(root, "sys/class/drm/renderD128/device");
  mkdirSync(device, { recursive: true });
  writeFileSync(path.join(device, "gpu_busy_percent"), "75\n");
  writeFileSync(path.join(device, "mem_info_vram_used"), "4096\n");
  const gpus = createGpuWatch();
  // A slot that has gone records nothing.
  const job = { ...found("a"), slot: { pid: 0, state: "", record: "/dev/null", log: "/dev/null" } };
  const folder = claimed("renderD128", "a");
  await sampleGpus({ folder, gpus }, [job], root);
  expect(gpus.jobs.get(job.claim)).toMatchObject({ busyMs: 0, peakBytes: 4096 });
  expect(sampleGpus({ folder, gpus }, [job], root)).toBeUndefined();
  gpus.nextAtMs = 0;
  await sampleGpus({ folder, gpus }, [job], root);
  expect(gpus.jobs.get(job.claim)!.busyMs).toBeGreaterThan(0);
});
