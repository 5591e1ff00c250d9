import { mkdir } from "node:fs/promises";
import path from "node:path";
import { ENGINES } from "#app/supported";
import type { RunnableEngine, ServerParts } from "#app/server-parts";
import type { Engine, Evaluate } from "#engines/engine";
import { systemClock } from "#plumbing/clock";
import { systemRandom } from "#plumbing/ids";
import { inProcessRuntime } from "#runner/engine/engine-runtime";
import { createSeal, SEAL_KEY_BYTES } from "#plumbing/secrets/seal";
import { packSources } from "#app/packing/pack-sources";
import { openBundles } from "#sources/bundle";
import { openDeposits } from "#sources/deposits/open-deposits";
import { openDocumentSource } from "#sources/fetch-document";
import { openGitSource } from "#sources/git-source";
import { openUploads } from "#workspace/write/uploads";
import { openWorkspaces } from "#workspace/workspaces";
import { fakeDisk } from "./fakes/fake-disk.ts";

export const LIMITS: ServerParts["limits"] = {
  maxRunsAtOnce: 4,
  maxRunsPerUser: 1000,
  capacity: { cores: 100, memoryBytes: 2 ** 40 },
  maxLogBytesInReply: 2 ** 20,
};

/** Hosts an engine in this thread. */
export function runnable(engine: Engine, evaluate?: Evaluate): RunnableEngine {
  return {
    language: engine.language,
    readsDocuments: engine.prepare !== undefined,
    runtime: inProcessRuntime(engine, evaluate),
  };
}

type Own = "db" | "clock" | "backends" | "log";

/** Opens the files of runs. Several servers may open the same ones: each then has an id. */
export function openFiles(folder: string, hostId?: string): Pick<ServerParts, "workspaces" | "uploads"> {
  const inside = (name: string) => path.join(folder, name);
  const always = { fsync: false, random: systemRandom, clock: systemClock };
  return {
    workspaces: openWorkspaces({
      ...always,
      folder: inside("workspaces"),
      incomingFolder: inside("incoming"),
      areShared: hostId !== undefined,
    }),
    uploads: openUploads({ ...always, folder: inside("uploads"), hostId }),
  };
}

/** Opens the parts of a server in a temporary folder, except the parts given by a test. */
export async function openParts(folder: string, own: Pick<ServerParts, Own>): Promise<ServerParts> {
  const inside = (name: string) => path.join(folder, name);
  for (const name of ["workspaces", "incoming", "uploads"]) await mkdir(inside(name));
  return {
    ...own,
    random: systemRandom,
    disk: fakeDisk(),
    host: { id: "host", name: "host" },
    engines: ENGINES,
    ...openFiles(folder),
    documents: openDocumentSource({ httpHosts: [], privateHosts: [] }),
    git: openGitSource({
      httpHosts: [],
      privateHosts: [],
      maxBytes: 1e6,
      maxFiles: 100,
      timeoutMs: 2000,
      tempFolder: folder,
    }),
    bundles: openBundles({ folder: inside("incoming"), random: systemRandom }),
    packing: packSources({ containers: "none" }),
    deposits: openDeposits({ folder: inside("deposits"), privateHosts: [] }),
    tokenSeal: createSeal(Buffer.alloc(SEAL_KEY_BYTES, 1), systemRandom),
    limits: LIMITS,
  };
}
