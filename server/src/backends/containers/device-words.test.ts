import { mkdtempSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { deviceWords } from "#backends/containers/device-words";
import { findGpus } from "#backends/gpus/find-gpus";
import { FAKE_GPUS, fakeMachine, put } from "#backends/gpus/gpu-fixture";
import { nodesOf } from "#backends/gpus/gpu-pool";

const machine = fakeMachine();
const found = findGpus("auto", machine);
const devices = (...indices: readonly number[]) => {
  const gpus = indices.map((index) => found.found[index]!);
  return { gpus, nodes: nodesOf(gpus, found) };
};

function cdiFolder(text?: string): readonly string[] {
  const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-cdi-"));
  if (text !== undefined) put(folder, "nvidia.yaml", text);
  return [path.join(folder, "absent"), folder];
}

const CDI = `cdiVersion: "0.5.0"
kind: nvidia.com/gpu
devices:
- name: "0"
  containerEdits: {}
- name: ${FAKE_GPUS[1]}
- name: all
`;

describe("the options for the GPUs of a container", () => {
  test("are none for a job without GPUs", () => {
    for (const name of ["podman", "docker"] as const)
      expect(deviceWords({ name }, devices(), cdiFolder(CDI))).toEqual([]);
  });

  test("of docker name the devices in one value", () => {
    expect(deviceWords({ name: "docker" }, devices(0, 1), cdiFolder())).toEqual([
      `--gpus="device=${FAKE_GPUS.join(",")}"`,
    ]);
  });

  test("of Apptainer are the nodes alone, as mounts", () => {
    const words = deviceWords({ name: "apptainer" }, devices(0), cdiFolder(CDI));
    expect(words).toEqual(devices(0).nodes.map(({ from, at }) => `--bind=${from}:${at}`));
    expect(words.length).toBeGreaterThan(0);
  });

  test("of podman are the described devices, by UUID or number", () => {
    expect(deviceWords({ name: "podman" }, devices(0, 1), cdiFolder(CDI))).toEqual([
      "--device=nvidia.com/gpu=0",
      `--device=nvidia.com/gpu=${FAKE_GPUS[1]}`,
    ]);
  });

  test.each([
    ["without a description", cdiFolder()],
    ["with a description of other devices", cdiFolder(CDI.replace(FAKE_GPUS[1], "1g.10gb"))],
    ["with a description of another kind", cdiFolder(CDI.replace("nvidia.com/gpu", "vendor.com/net"))],
  ])("of podman %s are the nodes", (_, folders) => {
    const at = (node: string) => `--device=${machine.root}/dev/${node}:/dev/${node}`;
    expect(deviceWords({ name: "podman" }, devices(1), folders)).toEqual([
      at("nvidia0"),
      at("nvidiactl"),
      at("nvidia-uvm"),
    ]);
  });
});
