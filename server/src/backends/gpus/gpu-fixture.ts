import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { findGpus, type GpuChoice } from "#backends/gpus/find-gpus";
import { type GpuPool, openGpuPool } from "#backends/gpus/gpu-pool";
import { hasEndedIn } from "#backends/local/attempts/has-ended";

/** The UUIDs of the devices of a fake machine. */
export const FAKE_GPUS = ["GPU-aaaaaaaa-0000", "GPU-bbbbbbbb-1111"] as const;

export interface FakeMachine {
  readonly root: string;
  readonly nvidiaSmi: string;
}

/**
 * Makes a folder that looks like a machine with two devices of NVIDIA: an `nvidia-smi`, and nodes that are files with
 * their own names. The kernel numbers the nodes the other way round.
 */
export function fakeMachine(): FakeMachine {
  const root = mkdtempSync(path.join(os.tmpdir(), "reprise-gpus-"));
  for (const node of ["nvidia0", "nvidia1", "nvidiactl", "nvidia-uvm"]) put(root, `dev/${node}`, `${node}\n`);
  put(root, "proc/driver/nvidia/gpus/0000:01:00.0/information", "Model: \t\t Fake\nDevice Minor: \t 1\n");
  put(root, "proc/driver/nvidia/gpus/0000:C1:00.0/information", "Model: \t\t Fake\nDevice Minor: \t 0\n");
  const listed = [
    `0, ${FAKE_GPUS[0]}, 00000000:01:00.0, 81559, NVIDIA Fake 100, PCIe`,
    `1, ${FAKE_GPUS[1]}, 00000000:C1:00.0, [N/A], NVIDIA Fake 100`,
  ];
  return { root, nvidiaSmi: fakeProgram(root, "nvidia-smi", `cat <<'END'\n${listed.join("\n")}\nEND`) };
}

export function put(root: string, file: string, text: string): void {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), text);
}

export function fakeProgram(root: string, name: string, script: string): string {
  put(root, `bin/${name}`, `#!/bin/sh\n${script}\n`);
  chmodSync(path.join(root, "bin", name), 0o755);
  return path.join(root, "bin", name);
}

/** Opens the pool of a fake machine over a folder of jobs. */
export function fakePool(jobs: string, choice: GpuChoice = "auto", machine = fakeMachine()): GpuPool {
  return openGpuPool({
    folder: path.join(jobs, "gpus"),
    gpus: findGpus(choice, machine),
    hasEnded: hasEndedIn(jobs),
  });
}
