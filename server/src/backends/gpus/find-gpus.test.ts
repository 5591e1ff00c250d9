import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { findGpus, UnknownGpu } from "#backends/gpus/find-gpus";
import { FAKE_GPUS, fakeMachine, fakeProgram, put } from "#backends/gpus/gpu-fixture";
import { gpuVariables, nodesOf } from "#backends/gpus/gpu-pool";

const emptyMachine = () => mkdtempSync(path.join(os.tmpdir(), "reprise-gpus-"));
const idsOf = (gpus: readonly { readonly id: string }[]) => gpus.map(({ id }) => id);

describe("the GPUs of a machine", () => {
  test("are those that nvidia-smi lists, with the nodes of the kernel", () => {
    const machine = fakeMachine();
    const { found, offered, problems } = findGpus("auto", machine);
    expect(problems).toEqual([]);
    expect(offered).toEqual(found);
    expect(found).toEqual([
      {
        vendor: "nvidia",
        id: FAKE_GPUS[0],
        index: 0,
        name: "NVIDIA Fake 100, PCIe",
        memoryBytes: 81559 * 2 ** 20,
        nodes: [{ from: path.join(machine.root, "dev/nvidia1"), at: "/dev/nvidia1" }],
      },
      {
        vendor: "nvidia",
        id: FAKE_GPUS[1],
        index: 1,
        name: "NVIDIA Fake 100",
        nodes: [{ from: path.join(machine.root, "dev/nvidia0"), at: "/dev/nvidia0" }],
      },
    ]);
  });

  test("bring the nodes that every job with one needs, as far as the machine has them", () => {
    const gpus = findGpus("auto", fakeMachine());
    expect(nodesOf([gpus.found[0]!], gpus).map(({ at }) => at)).toEqual([
      "/dev/nvidia1",
      "/dev/nvidiactl",
      "/dev/nvidia-uvm",
    ]);
    expect(nodesOf([], gpus)).toEqual([]);
  });

  test.each<[Parameters<typeof findGpus>[0], readonly string[]]>([
    ["none", []],
    [["1"], [FAKE_GPUS[1]]],
    [
      [FAKE_GPUS[1], "0", "1"],
      [FAKE_GPUS[1], FAKE_GPUS[0]],
    ],
  ])("are limited by the settings: %j", (choice, expected) => {
    const { offered, found } = findGpus(choice, fakeMachine());
    expect(idsOf(offered)).toEqual(expected);
    expect(found).toHaveLength(2);
  });

  test("absent from the machine are refused in the settings, with a list of the present GPUs", () => {
    expect(() => findGpus(["2"], fakeMachine())).toThrow(
      new UnknownGpu(
        `there is no GPU 2 on this machine (there is: 0 (${FAKE_GPUS[0]}), 1 (${FAKE_GPUS[1]}))`,
      ),
    );
    expect(() => findGpus(["0"], { root: emptyMachine(), nvidiaSmi: null })).toThrow("there is: none");
  });

  test("are none on a machine without any", () => {
    const gpus = findGpus("auto", { root: emptyMachine(), nvidiaSmi: null });
    expect(gpus).toMatchObject({ found: [], offered: [], problems: [] });
    expect(gpuVariables([], gpus, false)).toEqual({});
  });

  test("that no program lists, or a program that fails, are reported", () => {
    const { root } = fakeMachine();
    expect(findGpus("auto", { root, nvidiaSmi: null }).problems).toEqual([
      "Jobs cannot have the GPUs of NVIDIA, because nvidia-smi is not in the PATH of the server (/dev/nvidia0, /dev/nvidia1).",
    ]);
    const nvidiaSmi = fakeProgram(root, "broken", 'echo "Driver/library version mismatch" >&2; exit 18');
    expect(findGpus("auto", { root, nvidiaSmi })).toMatchObject({
      found: [],
      problems: ["nvidia-smi does not list the GPUs: Driver/library version mismatch."],
    });
  });

  test("of AMD need the node for computing, and GPUs of Intel are offered by name alone", () => {
    const root = emptyMachine();
    for (const [node, vendor] of [
      ["renderD128", "0x8086"],
      ["renderD129", "0x1002"],
      ["renderD130", "0x1a03"],
    ] as const) {
      put(root, `dev/dri/${node}`, "");
      put(root, `sys/class/drm/${node}/device/vendor`, `${vendor}\n`);
    }
    put(root, "sys/class/drm/renderD129/device/mem_info_vram_total", "17163091968\n");
    put(root, "dev/kfd", "");
    const look = (choice: Parameters<typeof findGpus>[0]) => findGpus(choice, { root, nvidiaSmi: null });
    expect(idsOf(look("auto").offered)).toEqual(["renderD129"]);
    expect(idsOf(look(["renderD128"]).offered)).toEqual(["renderD128"]);
    const gpus = look("auto");
    const [amd] = gpus.offered;
    expect(amd!.memoryBytes).toBe(17163091968);
    expect(nodesOf([amd!], gpus).map(({ at }) => at)).toEqual(["/dev/dri/renderD129", "/dev/kfd"]);
    expect(gpuVariables([amd!], gpus, false)).toEqual({ ROCR_VISIBLE_DEVICES: "0" });
    expect(gpuVariables([amd!], gpus, true)).toEqual({});
    expect(gpuVariables([], gpus, true)).toEqual({ ROCR_VISIBLE_DEVICES: "-1" });
    rmSync(path.join(root, "dev/kfd"));
    expect(idsOf(look("auto").offered)).toEqual([]);
  });
});
