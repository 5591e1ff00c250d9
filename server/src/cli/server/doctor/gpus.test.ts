import path from "node:path";
import os from "node:os";
import { expect, test } from "vitest";
import { runCli } from "#cli/program";
import { fakeCli } from "#cli/fake-cli";

const data = path.join(os.tmpdir(), "reprise-doctor-gpus", "not-yet");

test.each([
  [{ gpus: [], problems: [] }, /^- GPUs +none: steps that ask for one are refused$/],
  [
    {
      gpus: [
        { id: "GPU-a", name: "NVIDIA H100", memoryBytes: 80 * 2 ** 30, isOffered: true },
        { id: "GPU-b", name: "NVIDIA H100", isOffered: true },
        { id: "GPU-c", name: "NVIDIA H100", isOffered: false },
      ],
      problems: [],
    },
    /^✓ GPUs +NVIDIA H100, 80 GiB \(GPU-a\); NVIDIA H100 \(GPU-b\) \(1 more, which --gpus keeps from jobs\)$/,
  ],
  [
    { gpus: [{ id: "GPU-a", name: "NVIDIA H100", isOffered: false }], problems: [] },
    /^- GPUs +none \(1 more, which --gpus keeps from jobs\): steps that ask for one are refused$/,
  ],
  [
    { gpus: [], problems: ["nvidia-smi does not list the GPUs: no driver."] },
    /^! GPUs +nvidia-smi does not list the GPUs: no driver\.$/,
  ],
])("lists the GPUs for jobs: %j", async (found, line) => {
  const cli = fakeCli({ reportGpus: async () => found });
  await runCli(["doctor", "--data", data], cli);
  expect(cli.printed.find((one) => one.includes("GPUs "))).toMatch(line);
});
