import path from "node:path";
import type { Backend } from "#backends/backend";
import { removeTree } from "#backends/backend-fixture";
import { Containers } from "#backends/container/containers";
import type { ImageOptions } from "#backends/container/images";
import type { Podman } from "#backends/container/podman-fixture";
import { type LocalBackendOptions, openLocalBackend } from "#backends/local/local-backend";
import { readBootId } from "#backends/local/processes/boot-id";
import { systemClock } from "#plumbing/clock";

/** Settings of a backend that a test replaces. */
interface ContainerChanges {
  readonly images?: Partial<ImageOptions>;
  readonly defaultImage?: string;
  readonly maxProcesses?: number;
  readonly local?: Partial<LocalBackendOptions>;
}

/** Opens a local backend whose jobs run in containers. */
export function openContainers(
  podman: Podman,
  folder: string,
  hostId: string,
  change: ContainerChanges = {},
): Backend {
  const log = { error: () => undefined };
  const clock = systemClock;
  const images: ImageOptions = {
    policy: "never",
    allowed: ["localhost/*", "localhost:*/*"],
    pullTimeoutMs: 20_000,
    folder: path.join(podman.folder, "pulls"),
    clock,
    ...change.images,
  };
  const containers = new Containers({
    choice: "podman",
    hostId,
    images,
    defaultImage: change.defaultImage,
    maxProcesses: change.maxProcesses,
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
