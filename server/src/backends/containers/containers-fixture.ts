import type { Backend } from "#backends/backend";
import { folderOf, removeTree } from "#backends/backend-fixture";
import { Containers } from "#backends/containers/containers";
import type { ImageOptions } from "#backends/containers/images/images";
import { imageOptionsIn } from "#backends/containers/images/images-fixture";
import { BASH_IMAGE } from "#backends/containers/podman-fixture";
import type { MeasureDisk } from "#backends/containers/storage-space";
import type { RuntimeName } from "#backends/containers/runtime";
import { backendContract } from "#backends/contract-suite";
import { type LocalBackendOptions, openLocalBackend } from "#backends/local/local-backend";
import { readBootId } from "#backends/process/table/boot-id";
import { systemClock } from "#plumbing/clock";

/** Settings of a backend that a test replaces. */
interface ContainerChanges {
  /** Default: podman. */
  readonly runtime?: RuntimeName;
  readonly images?: Partial<ImageOptions>;
  readonly defaultImage?: string;
  readonly maxProcesses?: number;
  readonly measureDisk?: MeasureDisk;
  readonly local?: Partial<LocalBackendOptions>;
}

/** Opens a local backend that runs jobs in containers. */
export function openContainers(
  runtime: { readonly folder: string },
  folder: string,
  hostId: string,
  change: ContainerChanges = {},
): Backend {
  const log = { error: () => undefined };
  const clock = systemClock;
  const images: ImageOptions = {
    ...imageOptionsIn(runtime.folder),
    policy: "never",
    allowed: ["localhost/*", "localhost:*/*"],
    ...change.images,
  };
  const containers = new Containers({
    choice: change.runtime ?? "podman",
    hostId,
    images,
    defaultImage: change.defaultImage,
    maxProcesses: change.maxProcesses,
    measureDisk: change.measureDisk,
    clock,
    log,
  });
  const maxOutputBytes = 2 ** 20;
  return openLocalBackend({
    folder,
    hostId,
    bootId: readBootId(),
    clock,
    maxOutputBytes,
    removeTree,
    log,
    containers,
    ...change.local,
  });
}

/** Defines the tests of every backend for the containers of a runtime that is open during the tests. */
export function containerContract(opened: () => { readonly folder: string }, runtime?: RuntimeName): void {
  const change = { defaultImage: BASH_IMAGE, ...(runtime && { runtime }) };
  const open = (folder: string, hostId: string) => openContainers(opened(), folder, hostId, change);

  backendContract("A container", async (folder) => ({
    backend: open(folder, "test-host"),
    reopen: async () => open(folder, "test-host"),
    openCopy: async (files) => open(await folderOf(files), "host of the copy"),
  }));
}
