import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { DeviceNode, Gpu, Gpus, GpuVendor } from "#backends/gpus/gpu";
import { maybeProgram } from "#plumbing/files/find-program";
import { printable } from "#plumbing/text/printable";

/** The devices that the settings offer: all of the first vendor found, none, or some by index, UUID or node. */
export type GpuChoice = "auto" | "none" | readonly string[];

export interface FindOptions {
  /** The folder with `dev`, `proc` and `sys`. Default: `/`. */
  readonly root?: string;
  /** The program that lists NVIDIA's devices. Default: `nvidia-smi` in the PATH. Null if the machine has no such program. */
  readonly nvidiaSmi?: string | null;
}

/** Thrown if the settings name a device that this machine lacks. The message is the end of a sentence. */
export class UnknownGpu extends Error {}

/** Finds the GPUs of this machine. */
export function findGpus(choice: GpuChoice, options: FindOptions = {}): Gpus {
  const { root = "/", nvidiaSmi = maybeProgram("nvidia-smi") ?? null } = options;
  const nvidia = nvidiaGpus(root, nvidiaSmi);
  const found = [...nvidia.gpus, ...renderNodes(root)];
  return {
    found,
    offered: offeredOf(choice, found),
    problems: nvidia.problems,
    sharedNodes: (vendor) => SHARED[vendor].flatMap((name) => nodeAt(root, name)),
  };
}

/** The nodes opened by every job with a device of the vendor. The driver decides which nodes exist. */
const SHARED: Readonly<Record<GpuVendor, readonly string[]>> = {
  nvidia: ["nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", "dxg"],
  amd: ["kfd"],
  intel: [],
};

/**
 * Returns the devices for jobs. Without a choice these are all of NVIDIA's or, on a machine without any, all of AMD's:
 * programs that ask for a GPU mean the kind for computing, and most processors bring a small graphics unit.
 */
function offeredOf(choice: GpuChoice, found: readonly Gpu[]): readonly Gpu[] {
  if (choice === "none") return [];
  if (choice === "auto") {
    const vendor = (["nvidia", "amd"] as const).find((one) => found.some((gpu) => gpu.vendor === one));
    return found.filter((gpu) => gpu.vendor === vendor);
  }
  const named = choice.map((name) => {
    const gpu = found.find(
      ({ id, index, vendor }) => id === name || (vendor === "nvidia" && `${index}` === name),
    );
    if (gpu) return gpu;
    const known = found.map(({ id, index, vendor }) => (vendor === "nvidia" ? `${index} (${id})` : id));
    throw new UnknownGpu(
      `there is no GPU ${printable(name, 100)} on this machine (there is: ${known.join(", ") || "none"})`,
    );
  });
  return [...new Set(named)];
}

function nodeAt(root: string, name: string): DeviceNode[] {
  const at = path.join("/dev", name);
  const from = path.join(root, at);
  return existsSync(from) ? [{ from, at }] : [];
}

const QUERY = ["--query-gpu=index,uuid,pci.bus_id,memory.total,name", "--format=csv,noheader,nounits"];
const QUERY_MAX_MS = 10_000;
const MIB = 2 ** 20;

/** Asks `nvidia-smi` for the devices. The server asks once, at its start. */
function nvidiaGpus(
  root: string,
  program: string | null,
): { readonly gpus: readonly Gpu[]; readonly problems: readonly string[] } {
  const nodes = entriesOf(path.join(root, "dev")).filter((name) => /^nvidia\d+$/.test(name));
  if (program === null)
    return {
      gpus: [],
      problems: nodes.length === 0 ? [] : [`${NO_NVIDIA_SMI} (/dev/${nodes.join(", /dev/")}).`],
    };
  const asked = spawnSync(program, QUERY, { encoding: "utf8", timeout: QUERY_MAX_MS, killSignal: "SIGKILL" });
  if (asked.status !== 0) {
    const said = asked.error?.message ?? `${asked.stderr}${asked.stdout}`.trim();
    return {
      gpus: [],
      problems: [`nvidia-smi does not list the GPUs: ${printable(said, 300) || "it said nothing"}.`],
    };
  }
  const minors = minorsByBus(root);
  const gpus = asked.stdout.split("\n").flatMap((line) => nvidiaGpu(root, line, minors));
  if (gpus.length > 0 && program !== null) makeUvmNode(root);
  return { gpus, problems: [] };
}

const NO_NVIDIA_SMI =
  "Jobs cannot have the GPUs of NVIDIA, because nvidia-smi is not in the PATH of the server";

/** Reads a line of `nvidia-smi`: `0, GPU-8f…, 00000000:01:00.0, 81559, NVIDIA H100 PCIe`. */
function nvidiaGpu(root: string, line: string, minors: ReadonlyMap<string, string>): Gpu[] {
  const [index = "", id = "", bus = "", memory = "", ...name] = line.split(",").map((word) => word.trim());
  if (!/^\d+$/.test(index) || !/^[\w-]+$/.test(id)) return [];
  const minor = minors.get(busKey(bus)) ?? index;
  return [
    {
      vendor: "nvidia",
      id,
      index: Number(index),
      name: printable(name.join(", "), 100),
      ...(/^\d+$/.test(memory) && { memoryBytes: Number(memory) * MIB }),
      nodes: nodeAt(root, `nvidia${minor}`),
    },
  ];
}

/** Returns the numbers of the nodes by the place on the bus. They may differ from the order of `nvidia-smi`. */
function minorsByBus(root: string): ReadonlyMap<string, string> {
  const folder = path.join(root, "proc/driver/nvidia/gpus");
  return new Map(
    entriesOf(folder).flatMap((bus) => {
      const [, minor] =
        /^Device Minor:\s*(\d+)/m.exec(maybeText(path.join(folder, bus, "information"))) ?? [];
      return minor === undefined ? [] : [[busKey(bus), minor] as const];
    }),
  );
}

/** `nvidia-smi` and the kernel write the domain of the bus with eight and with four digits. */
function busKey(bus: string): string {
  return bus.toLowerCase().replace(/^0*([0-9a-f]{4}:)/, "$1");
}

/**
 * Makes the node of unified memory, which the driver makes only for the first program with the right to do so. A job in
 * a sandbox has no such right.
 */
function makeUvmNode(root: string): void {
  const program =
    root === "/" && !existsSync("/dev/nvidia-uvm") ? maybeProgram("nvidia-modprobe") : undefined;
  if (program !== undefined) spawnSync(program, ["-c", "0", "-u"], { timeout: QUERY_MAX_MS });
}

const VENDORS: Readonly<Record<string, Exclude<GpuVendor, "nvidia">>> = {
  "0x1002": "amd",
  "0x8086": "intel",
};

/** Returns the devices of AMD that can compute, and of Intel, by their nodes in `/dev/dri`. */
function renderNodes(root: string): Gpu[] {
  const canCompute = nodeAt(root, "kfd").length > 0;
  return entriesOf(path.join(root, "dev/dri")).flatMap((node) => {
    const [, number] = /^renderD(\d+)$/.exec(node) ?? [];
    const vendor = VENDORS[maybeText(path.join(root, "sys/class/drm", node, "device/vendor")).trim()];
    if (number === undefined || vendor === undefined || (vendor === "amd" && !canCompute)) return [];
    const [memory] = [maybeText(path.join(root, "sys/class/drm", node, "device/mem_info_vram_total")).trim()];
    return [
      {
        vendor,
        id: node,
        index: Number(number) - FIRST_RENDER_NODE,
        name: vendor === "amd" ? "AMD GPU" : "Intel GPU",
        ...(/^\d+$/.test(memory) && { memoryBytes: Number(memory) }),
        nodes: nodeAt(root, `dri/${node}`),
      },
    ];
  });
}

const FIRST_RENDER_NODE = 128;

function entriesOf(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).toSorted() : [];
}

function maybeText(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}
