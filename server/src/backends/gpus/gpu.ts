/** A graphics processor of the machine. Jobs never share a processor. */
export interface Gpu {
  readonly vendor: GpuVendor;
  /** The name by which settings and claims know the device: its UUID, or the name of its node (`renderD128`). */
  readonly id: string;
  /** The position in the vendor's own list, which a person sees in `nvidia-smi`. */
  readonly index: number;
  /** The product's name, such as `NVIDIA H100 PCIe`. */
  readonly name: string;
  readonly memoryBytes?: number;
  /** The device's own nodes. */
  readonly nodes: readonly DeviceNode[];
}

export type GpuVendor = "nvidia" | "amd" | "intel";

/** A node in `/dev`. */
export interface DeviceNode {
  readonly from: string;
  /** The place in a job. */
  readonly at: string;
}

/** The GPUs shared by the jobs of this machine, with the device nodes needed by every job with a GPU. */
export interface Gpus {
  /** The devices that jobs may have. */
  readonly offered: readonly Gpu[];
  /** All devices found, including hidden ones. */
  readonly found: readonly Gpu[];
  /** Returns the nodes that every job with a device of the vendor needs. */
  readonly sharedNodes: (vendor: GpuVendor) => readonly DeviceNode[];
  /** Sentences about devices that no job can have, and why. */
  readonly problems: readonly string[];
}
