import type { OpenedData } from "#app/data-folder";
import { Containers, type ContainerOptions } from "#backends/containers/containers";
import { readPackedImages } from "#backends/containers/images/packed-images";
import { removeLeftCredentials } from "#backends/containers/images/pull-image";
import { maybeFailedPull } from "#backends/containers/images/pull-log";
import { findRuntime, installedRuntimes } from "#backends/containers/runtime";
import { missingSpace } from "#backends/containers/storage-space";
import type { Config } from "#config/settings";
import { systemClock } from "#plumbing/clock";
import { dataFolderPaths } from "#plumbing/files/data-folder";
import { diskFloor } from "#plumbing/files/disk-space";
import type { ContainersReport } from "#workflow/reports";

/**
 * Opens the containers of a server's jobs, and removes the credentials that an earlier server has left. Returns undefined if jobs run without
 * containers.
 */
export function maybeContainers(
  {
    containers: choice,
    pullImages,
    packedImages,
    allowedImages,
    pullTimeoutMs,
    defaultImage,
    cvmfs,
    mounts,
    maxJobProcesses: maxProcesses,
    jobNetwork: network,
    ...config
  }: Config,
  { data, hostId }: Pick<OpenedData, "data" | "hostId">,
  log: ContainerOptions["log"],
): Containers | undefined {
  removeLeftCredentials(data.registryCredentials);
  if (choice === "none" || (choice === "auto" && installedRuntimes(choice).length === 0)) return undefined;
  const clock = systemClock;
  const images = {
    policy: pullImages,
    packed: readPackedImages(packedImages),
    allowed: allowedImages,
    pullTimeoutMs,
    logs: data.imagePulls,
    privateImages: data.privateImages,
    credentials: data.registryCredentials,
    clock,
  };
  const readable = mounts.filter(({ path, at }) => path === at).map(({ path }) => path);
  return new Containers({
    choice,
    hostId,
    images,
    defaultImage,
    cvmfs,
    maxProcesses,
    network,
    readable,
    floorOf: diskFloor(config),
    clock,
    log,
  });
}

/** Tries the container runtime of a server with these settings. */
export async function reportContainers({
  containers: choice,
  dataFolder,
  ...config
}: Config): Promise<ContainersReport> {
  if (choice === "none") return { problem: "--containers none", isRequired: false };
  const found = await findRuntime(choice);
  const isRequired = choice !== "auto";
  if ("problem" in found) return { problem: found.problem, isRequired };
  const { name, version, isRootless, hasInit } = found;
  const advice = hasInit ? "" : "; install catatonit, so that jobs in containers receive signals";
  const missing = missingSpace(found, { floorOf: diskFloor(config) });
  const failedPull = maybeFailedPull(dataFolderPaths(dataFolder).imagePulls);
  return {
    runtime: `${name} ${version}${isRootless ? ", rootless" : ""}${advice}`,
    ...(missing !== undefined && { missing }),
    ...(failedPull && { failedPull }),
    isRequired,
  };
}
