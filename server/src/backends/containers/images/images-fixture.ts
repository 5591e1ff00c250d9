import path from "node:path";
import type { ImageOptions } from "#backends/containers/images/images";
import { systemClock } from "#plumbing/clock";

/** Returns options of images for tests, with all files in a folder of the tests' own. */
export function imageOptionsIn(folder: string): ImageOptions {
  return {
    policy: "missing",
    pullTimeoutMs: 20_000,
    logs: path.join(folder, "pulls"),
    privateImages: path.join(folder, "private-images"),
    credentials: path.join(folder, "credentials"),
    clock: systemClock,
  };
}
