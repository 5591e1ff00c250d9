import type { Dice } from "../simulation/dice.ts";
import { RecordedFile, RecordedFolder } from "./recorded-nodes.ts";
import type { CallMoment } from "./strace.ts";

/**
 * A folder after a power cut, reconstructed from the system calls of a process. A completed sync of a file
 * preserves the file's content, and a completed sync of a folder preserves its entries. Every other change
 * may survive completely, in part or not at all, in any order: no file system is worse. A sync covers the
 * changes made before its start.
 */
export class RecordedDisk {
  readonly #root: string;
  readonly #top = new RecordedFolder();
  /** Position of the next plain write to a file. */
  readonly #positions = new Map<RecordedFile, number>();
  /** Paths by descriptor: the server addresses the content of an open folder as `/proc/self/fd/31/name`. */
  readonly #held = new Map<number, string>();
  readonly #syncs = new Map<number, () => void>();

  constructor(root: string) {
    this.#root = root;
  }

  take(call: CallMoment): void {
    if (call.name === "fsync" || call.name === "fdatasync") this.#sync(call);
    else if (call.when === "ended" && call.result >= 0) this.#done(call);
  }

  /**
   * Writes the files that survive a power cut at this moment to `into`. With dice, some unsynced changes
   * survive too.
   */
  layOut(into: string, dice?: Dice): Promise<void> {
    return this.#top.layOut(into, dice);
  }

  #done(call: CallMoment): void {
    const [first = "", second = ""] = call.texts;
    switch (call.name) {
      case "openat":
        return this.#opened(call);
      case "mkdir":
        return this.#enter(first, new RecordedFolder());
      case "unlink":
      case "rmdir":
        return this.#enter(first, undefined);
      case "rename":
        return this.#rename(first, second);
      case "link":
        return this.#enter(second, this.#node(first));
      case "write":
      case "pwrite64":
      case "ftruncate":
        return this.#change(call);
      case "symlink": // git tries whether symlinks work
        return;
      default:
        if (call.name.startsWith("send") || !call.args.includes(this.#root)) return;
        throw new Error(`The recorded disk does not know ${call.name}(${call.args.slice(0, 200)}`);
    }
  }

  #opened({ args, file: name = "", result: fd }: CallMoment): void {
    if (args.includes("O_DIRECTORY")) this.#held.set(fd, name);
    const place = this.#place(name);
    const known = place?.parent.now.get(place.last);
    if (!place || known instanceof RecordedFolder || args.includes("O_DIRECTORY")) return;
    const file = known ?? new RecordedFile();
    if (!known) place.parent.enter(place.last, file);
    else if (args.includes("O_TRUNC")) file.pending.push({ kind: "cut", size: 0 });
    this.#positions.set(file, 0);
  }

  #change({ name, args, bytes, result, file: fileName = "" }: CallMoment): void {
    const file = this.#node(fileName);
    if (!(file instanceof RecordedFile)) return;
    const last = Number(/, (\d+)\)\s+= /.exec(args)?.[1]);
    if (name === "ftruncate") return void file.pending.push({ kind: "cut", size: last });
    const at = name === "pwrite64" ? last : (this.#positions.get(file) ?? 0);
    file.pending.push({ kind: "write", bytes: bytes.subarray(0, result), at });
    this.#positions.set(file, at + result);
  }

  #rename(from: string, to: string): void {
    const node = this.#node(from);
    if (!node) return;
    this.#enter(to, node);
    this.#enter(from, undefined);
  }

  #node(name: string): RecordedFile | RecordedFolder | undefined {
    const place = this.#place(name);
    return place?.parent.now.get(place.last);
  }

  #enter(name: string, node: RecordedFile | RecordedFolder | undefined): void {
    const place = this.#place(name);
    place?.parent.enter(place.last, node);
  }

  #sync({ when, args, file: name = "", result }: CallMoment): void {
    const fd = firstNumber(args);
    if (when === "ended") {
      if (result === 0) this.#syncs.get(fd)?.();
      this.#syncs.delete(fd);
      return;
    }
    if (!name.startsWith(this.#root)) return;
    const node = this.#node(name) ?? this.#folder(name);
    const mark = node.mark();
    this.#syncs.set(fd, () => node.settle(mark));
  }

  /** Returns undefined for a path outside the recorded folder. */
  #place(name: string): { readonly parent: RecordedFolder; readonly last: string } | undefined {
    const whole = name.replace(
      /^\/proc\/self\/fd\/(\d+)/,
      (_, fd: string) => this.#held.get(Number(fd)) ?? "",
    );
    if (!whole.startsWith(`${this.#root}/`)) return undefined;
    const end = whole.lastIndexOf("/");
    return { parent: this.#folder(whole.slice(0, end)), last: whole.slice(end + 1) };
  }

  /** Finds a folder. A folder created by a relative path was not recorded, so a missing folder is added. */
  #folder(name: string): RecordedFolder {
    let folder = this.#top;
    for (const part of name.slice(this.#root.length).split("/").filter(Boolean)) {
      const known = folder.now.get(part);
      const next = known instanceof RecordedFolder ? known : new RecordedFolder();
      if (next !== known) folder.enter(part, next);
      folder = next;
    }
    return folder;
  }
}

function firstNumber(args: string): number {
  return Number(/^\d+/.exec(args)?.[0]);
}
