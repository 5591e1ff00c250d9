import { createHash } from "node:crypto";
import { Refusal } from "#plumbing/errors";
import type { Algorithm } from "#workflow/job/job";
import type { FolderListing, FolderRequest } from "#workspace/find/list-folder";
import type { RunFiles } from "#workspace/run-files";
import { cleanPath } from "#workspace/safe-path";
import type { CopyRequest, StampPair, TreeCopy } from "#workspace/write/copy-tree";
import type { Uploads } from "#workspace/write/uploads";
import type { StageEntry } from "#workflow/job/stage";
import type { StageRequest } from "#workspace/staging/stage-files";
import type { Workspace } from "#workspace/workspace";
import type { Workspaces } from "#workspace/workspaces";
import type { Life } from "./life.ts";

/** The simulated part of a workspace. Worlds do not use the rest. */
type SimulatedWorkspace = Pick<
  Workspace,
  | "id"
  | "folder"
  | "create"
  | "prune"
  | "remove"
  | "forRun"
  | "maybeStamps"
  | "collectResults"
  | "stage"
  | "forgetStaged"
  | "stagedJobs"
  | "endStaging"
  | "sync"
>;

const ROOT = "/workspaces";

/**
 * Carries out one effect on the files for one server. The server may be slow, fail or die during the effect.
 */
type Act = <Result>(work: () => Result) => Promise<Result>;

/** The files of all runs of a world, in memory. */
export class MemoryFiles {
  readonly #workspaces = new Map<string, Map<string, Buffer>>();
  readonly #stamps = new WeakMap<Buffer, string>();
  /** Jobs with staged files and without a recorded end, by workspace. */
  readonly #staged = new Map<string, Set<string>>();
  #written = 0;

  put(workspaceId: string, path: string, content: string): void {
    this.#filesOf(workspaceId).set(path, Buffer.from(content));
  }

  /**
   * Returns whether any file is left. An empty folder does not count: a server that wakes up late may create one again.
   */
  hasAny(workspaceId: string): boolean {
    return (this.#workspaces.get(workspaceId)?.size ?? 0) > 0;
  }

  /** Returns the files from the view of one server. `hinder` may delay or throw. */
  seenBy(life: Life, hinder: () => Promise<void>): Workspaces {
    const act: Act = (work) =>
      life.act("file", async () => {
        await hinder();
        // A process that died during a slow disk access no longer writes.
        if (life.isDead) return new Promise<never>(() => {});
        return work();
      });
    const simulated: Pick<Workspaces, "root" | "of" | "copy" | "clearIncoming" | "clearStaging"> = {
      root: ROOT,
      copy: (from, to, request) => this.#copy(act, { from, to }, request),
      of: (workspaceId) => this.#workspace(workspaceId, act) as Workspace,
      clearIncoming: () => act(() => undefined),
      clearStaging: () => act(() => undefined),
    };
    return simulated as Workspaces;
  }

  #workspace(workspaceId: string, act: Act): SimulatedWorkspace {
    return {
      id: workspaceId,
      folder: `${ROOT}/${workspaceId}`,
      prune: (isMeant) =>
        act(() => {
          const files = this.#filesOf(workspaceId);
          const meant = [...files.keys()].filter(isMeant);
          for (const path of meant) files.delete(path);
          return meant.length;
        }),
      create: () => act(() => void this.#filesOf(workspaceId)),
      sync: () => act(() => undefined),
      remove: () => act(() => void this.#workspaces.delete(workspaceId)),
      stage: (request) => this.#stage(workspaceId, act, request),
      forgetStaged: (ids) => act(() => ids.forEach((id) => void this.#staged.get(workspaceId)?.delete(id))),
      stagedJobs: async () => [...(this.#staged.get(workspaceId) ?? [])],
      endStaging: (ids) => act(() => ids.forEach((id) => void this.#staged.get(workspaceId)?.delete(id))),
      forRun: (signal) => this.#forRun(workspaceId, act, signal),
      maybeStamps: () => act(() => this.#stampsOf(workspaceId)),
      collectResults: ({ declared, earlier }) =>
        act(() => {
          const files = [...this.#filesOf(workspaceId)].filter(([path]) =>
            [...declared, ...earlier].includes(path),
          );
          const results = files.map(([path, file]) => {
            const sha256 = createHash("sha256").update(file).digest("hex");
            return { path, bytes: file.length, sha256, stamp: this.#stampOf(file) };
          });
          return { files: results, isCut: false };
        }),
    };
  }

  /** Copies file by file, so a server may die during the copy. */
  async #copy(
    act: Act,
    { from, to }: { readonly from: string; readonly to: string },
    { isLeftOut, signal }: CopyRequest,
  ): Promise<TreeCopy> {
    const stamps: Record<string, StampPair> = {};
    let bytes = 0;
    const wanted = await act(() => [...this.#filesOf(from)].filter(([path]) => !isLeftOut(path)));
    for (const [path, file] of wanted) {
      await act(() => {
        signal.throwIfAborted();
        const copy = Buffer.from(file);
        this.#filesOf(to).set(path, copy);
        stamps[path] = [this.#stampOf(file), this.#stampOf(copy)];
        bytes += copy.length;
      });
    }
    return { files: wanted.length, bytes, stamps };
  }

  /** Returns the files of a run. A write or copy is atomic. */
  #forRun(workspaceId: string, act: Act, signal: AbortSignal): RunFiles {
    const doing: Act = (work) =>
      act(() => {
        signal.throwIfAborted();
        return work();
      });
    const digest = (name: string, algorithm: Algorithm) => {
      const file = this.#file(workspaceId, name);
      return { bytes: file.length, digest: createHash(algorithm).update(file).digest("hex") };
    };
    const put = (name: string, file: Buffer) => {
      const files = this.#workspaces.get(workspaceId);
      if (!files) throw new Refusal("conflict", "The folder is gone (simulated).");
      const path = cleanPath(name);
      files.set(path, file);
      return path;
    };
    return {
      write: (name, text) => doing(() => void put(name, Buffer.from(text))),
      list: (request) => doing(() => this.#list(workspaceId, request)),
      look: (name) =>
        doing(() => {
          const file = this.#workspaces.get(workspaceId)?.get(cleanPath(name));
          return file ? { kind: "file", bytes: file.length } : { kind: "absent" };
        }),
      read: (name, maxBytes) =>
        doing(() => {
          const file = this.#file(workspaceId, name);
          return { text: file.subarray(0, maxBytes).toString("utf8"), bytes: file.length };
        }),
      readEnd: (name, maxBytes) => doing(() => this.#file(workspaceId, name).subarray(-maxBytes)),
      readLines: (name, from) =>
        doing(() => {
          const text = this.#workspaces.get(workspaceId)?.get(cleanPath(name))?.toString("utf8") ?? "";
          const to = text.lastIndexOf("\n") + 1;
          return to <= from ? { lines: [], to: from } : { lines: text.slice(from, to - 1).split("\n"), to };
        }),
      appendLines: (name, first, lines) =>
        doing(() => {
          const before = this.#workspaces.get(workspaceId)?.get(cleanPath(name))?.toString("utf8") ?? "";
          const there = before.split("\n").length - 1;
          const missing = lines.slice(Math.max(0, there + 1 - first));
          const added = missing.map((line, index) => `${Math.max(first, there + 1) + index} ${line}\n`);
          put(name, Buffer.from(before + added.join("")));
        }),
      digest: (name, algorithm) => doing(() => digest(name, algorithm)),
      publish: ({ from, to, algorithm }) =>
        doing(() => ({ path: put(to, this.#file(workspaceId, from)), ...digest(from, algorithm) })),
      maybeStampsAt: (name) =>
        doing(() => {
          const at = cleanPath(name);
          const files = [...this.#filesOf(workspaceId)].filter(
            ([path]) => path === at || path.startsWith(`${at}/`),
          );
          return files
            .map(([path, file]) => ({
              path,
              kind: "file" as const,
              stamp: this.#stampOf(file),
              changedMs: 0,
            }))
            .toSorted((one, other) => (one.path < other.path ? -1 : 1));
        }),
      maybeStamps: () => doing(() => this.#stampsOf(workspaceId)),
      maybeInputStamps: (paths) =>
        doing(() => {
          const files = [...this.#filesOf(workspaceId)].filter(([path]) => paths.includes(path));
          return files.map(([path, file]) => ({ path, stamp: this.#stampOf(file), sha256: null }));
        }),
    };
  }

  /** Puts the files of a job in place, atomically. A link is a copy here. */
  async #stage(workspaceId: string, act: Act, request: StageRequest): Promise<void> {
    const { jobId, entries, assertLease, signal } = request;
    const isStaged = () => this.#staged.get(workspaceId)?.has(jobId) ?? false;
    const occupied = ({ at }: StageEntry) =>
      [...this.#filesOf(workspaceId).keys()].some((path) => path === at || path.startsWith(`${at}/`));
    const prepared = await act(() => {
      if (isStaged()) return [];
      const taken = entries.find(occupied);
      if (taken) throw new Refusal("conflict", `${taken.at} cannot be staged (simulated).`);
      return entries.flatMap((entry) => this.#prepared(workspaceId, entry));
    });
    signal.throwIfAborted();
    await assertLease();
    await act(() => {
      if (isStaged()) return;
      if (entries.some(occupied))
        throw new Refusal("conflict", "Something was staged meanwhile (simulated).");
      for (const [path, file] of prepared) this.#filesOf(workspaceId).set(path, file);
      this.#staged.set(workspaceId, (this.#staged.get(workspaceId) ?? new Set()).add(jobId));
    });
  }

  #prepared(workspaceId: string, entry: StageEntry): [path: string, file: Buffer][] {
    if ("folder" in entry) return [];
    if ("text" in entry) return [[entry.at, Buffer.from(entry.text)]];
    const source = "link" in entry ? entry.link : entry.copy;
    return [[entry.at, Buffer.from(this.#file(workspaceId, source))]];
  }

  /** Returns the missing files of a job's staging request. */
  missing(workspaceId: string, entries: readonly StageEntry[]): string[] {
    const files = entries.filter((entry) => !("folder" in entry)).map(({ at }) => at);
    return files.filter((at) => !this.#filesOf(workspaceId).has(at));
  }

  #stampsOf(workspaceId: string) {
    const files = [...this.#filesOf(workspaceId)];
    return {
      stamps: Object.fromEntries(files.map(([path, file]) => [path, this.#stampOf(file)])),
      newestMs: 0,
    };
  }

  /** Returns an empty set of uploads in parts. */
  uploadsOf(life: Life): Uploads {
    const simulated: Pick<Uploads, "forgetOld"> = {
      forgetOld: () => life.act("file", async () => undefined),
    };
    return simulated as Uploads;
  }

  /** Identifies a buffer. A file that is written again is another buffer. */
  #stampOf(file: Buffer): string {
    const known = this.#stamps.get(file);
    if (known !== undefined) return known;
    const stamp = String((this.#written += 1));
    this.#stamps.set(file, stamp);
    return stamp;
  }

  #filesOf(workspaceId: string): Map<string, Buffer> {
    const known = this.#workspaces.get(workspaceId);
    if (known) return known;
    const files = new Map<string, Buffer>();
    this.#workspaces.set(workspaceId, files);
    return files;
  }

  #file(workspaceId: string, name: string): Buffer {
    const file = this.#workspaces.get(workspaceId)?.get(cleanPath(name));
    if (!file) throw new Refusal("absent", `${name} does not exist.`);
    return file;
  }

  #list(workspaceId: string, { name, isDeep, maxEntries, after = "" }: FolderRequest): FolderListing {
    const prefix = name === "" ? "" : `${cleanPath(name)}/`;
    const below = [...(this.#workspaces.get(workspaceId) ?? [])].filter(([path]) => path.startsWith(prefix));
    if (below.length === 0 && name !== "") throw new Refusal("absent", `${name} does not exist.`);
    const inside = below
      .filter(([path]) => path > after && (isDeep || !path.slice(prefix.length).includes("/")))
      .toSorted(([one], [other]) => (one < other ? -1 : 1));
    const entries = inside
      .slice(0, maxEntries)
      .map(([path, file]) => ({ name: path, kind: "file" as const, bytes: file.length }));
    return { entries, isCut: inside.length > maxEntries, hasGap: false };
  }
}
