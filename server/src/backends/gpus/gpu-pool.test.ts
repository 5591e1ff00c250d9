import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { FAKE_GPUS, fakeMachine, fakePool } from "#backends/gpus/gpu-fixture";
import { gpuVariables } from "#backends/gpus/gpu-pool";

const [FIRST, SECOND] = FAKE_GPUS;

function jobsFolder(...ids: readonly string[]): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-pool-"));
  for (const id of ids) {
    mkdirSync(path.join(folder, id));
    writeFileSync(path.join(folder, id, "record"), "");
  }
  return folder;
}

const idsOf = (gpus: readonly { readonly id: string }[] | undefined) => gpus?.map(({ id }) => id);

describe("the pool of GPUs", () => {
  test("hands each device to one job, the same at every ask, until the job releases it", () => {
    const folder = jobsFolder("a", "b", "c");
    const pool = fakePool(folder);
    expect(idsOf(pool.grant("a", 1))).toEqual([FIRST]);
    expect(idsOf(pool.grant("a", 1))).toEqual([FIRST]);
    expect(pool.grant("b", 2)).toBeUndefined();
    expect(idsOf(pool.grant("b", 1))).toEqual([SECOND]);
    expect(pool.grant("c", 1)).toBeUndefined();
    expect(pool.grant("c", 0)).toEqual([]);
    pool.release("a");
    pool.release("a");
    expect(idsOf(pool.grant("c", 1))).toEqual([FIRST]);
    pool.release("b");
    pool.release("c");
    expect(readdirSync(path.join(folder, "gpus"))).toEqual([]);
  });

  test("knows after a restart of the server which job has which device, also a device that the settings hide now", () => {
    const folder = jobsFolder("a", "b");
    const machine = fakeMachine();
    fakePool(folder, "auto", machine).grant("a", 1);
    const later = fakePool(folder, ["1"], machine);
    expect(idsOf(later.of("a"))).toEqual([FIRST]);
    expect(idsOf(later.grant("b", 1))).toEqual([SECOND]);
  });

  test("takes a device back whose job has ended or was removed while no server ran", () => {
    const folder = jobsFolder("a", "b", "c");
    fakePool(folder).grant("a", 1);
    fakePool(folder).grant("b", 1);
    rmSync(path.join(folder, "a"), { recursive: true });
    const later = fakePool(folder);
    expect(idsOf(later.grant("c", 1))).toEqual([FIRST]);
    later.release("a");
    expect(idsOf(later.of("c"))).toEqual([FIRST]);
    expect(idsOf(later.of("b"))).toEqual([SECOND]);
  });

  test("completes the devices of a job whose server was killed between two claims", () => {
    const folder = jobsFolder("a");
    fakePool(folder).grant("a", 1);
    expect(idsOf(fakePool(folder).grant("a", 2))).toEqual([FIRST, SECOND]);
  });

  test("reads no claim through a link, and none that is no id of a job", () => {
    const folder = jobsFolder("a", "b");
    mkdirSync(path.join(folder, "gpus"));
    writeFileSync(path.join(folder, "elsewhere"), "b\n");
    symlinkSync(path.join(folder, "elsewhere"), path.join(folder, "gpus", FIRST));
    writeFileSync(path.join(folder, "gpus", SECOND), "../b\n");
    expect(idsOf(fakePool(folder).grant("a", 2))).toEqual([FIRST, SECOND]);
  });

  test("names the devices of a job to its programs, and hides the others", () => {
    const pool = fakePool(jobsFolder("a"));
    expect(gpuVariables(pool.grant("a", 2)!, pool.gpus, false)).toEqual({
      CUDA_VISIBLE_DEVICES: `${FIRST},${SECOND}`,
      NVIDIA_VISIBLE_DEVICES: `${FIRST},${SECOND}`,
    });
    expect(gpuVariables([], pool.gpus, false)).toEqual({
      CUDA_VISIBLE_DEVICES: "",
      NVIDIA_VISIBLE_DEVICES: "void",
    });
  });
});
