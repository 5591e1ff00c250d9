import type { RunFiles } from "#workspace/run-files";

/** A folder of another workspace. */
interface Shown {
  readonly files: RunFiles;
  readonly folder: string;
}

/** The files of a workspace, read as if folders of other workspaces had been copied into it. */
export class OverlaidFiles {
  readonly #shown = new Map<string, Shown>();
  readonly files: RunFiles;

  constructor(own: RunFiles) {
    this.files = {
      ...own,
      look: (name) => this.#in(own, name, ({ files, at }) => files.look(at)),
      read: (name, maxBytes) => this.#in(own, name, ({ files, at }) => files.read(at, maxBytes)),
      digest: (name, algorithm) => this.#in(own, name, ({ files, at }) => files.digest(at, algorithm)),
      maybeStampsAt: (name, maxEntries) =>
        this.#in(own, name, async ({ files, at, back }) => {
          const found = await files.maybeStampsAt(at, maxEntries);
          return found?.map((one) => ({ ...one, path: back(one.path) }));
        }),
      list: (request) =>
        this.#in(own, request.name, async ({ files, at, back, forth }) => {
          const after = request.after === undefined ? undefined : forth(request.after);
          const { entries, ...rest } = await files.list({ ...request, name: at, after });
          return { ...rest, entries: entries.map((one) => ({ ...one, name: back(one.name) })) };
        }),
    };
  }

  /** Shows a folder of another workspace at a local path. */
  show(path: string, shown: Shown): void {
    this.#shown.set(path, shown);
  }

  #in<Result>(own: RunFiles, name: string, work: (place: LayeredPath) => Result): Result {
    const found = [...this.#shown].find(([path]) => name === path || name.startsWith(`${path}/`));
    if (!found) return work({ files: own, at: name, back: (path) => path, forth: (path) => path });
    const [path, { files, folder }] = found;
    const forth = (one: string) => folder + one.slice(path.length);
    return work({ files, at: forth(name), forth, back: (one) => path + one.slice(folder.length) });
  }
}

interface LayeredPath {
  readonly files: RunFiles;
  readonly at: string;
  /** Converts a path of the other workspace to a path of this workspace. */
  readonly back: (path: string) => string;
  readonly forth: (path: string) => string;
}
