import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Dice } from "../simulation/dice.ts";

/** A file or folder of a recorded disk: the state certainly on the disk, and the pending changes. */
abstract class RecordedNode<Change> {
  readonly pending: Change[] = [];
  #settled = 0;

  /** Returns a mark after all changes so far. */
  mark(): number {
    return this.#settled + this.pending.length;
  }

  /** Moves the changes before the mark to the disk. */
  settle(mark: number): void {
    for (; this.#settled < mark; this.#settled += 1) this.apply(this.pending.shift()!);
  }

  protected abstract apply(change: Change): void;

  /** Picks surviving unsynced changes at random. */
  protected surviving(dice: Dice | undefined): readonly Change[] {
    return dice ? this.pending.filter(() => dice.chance(0.5)) : [];
  }
}

export type FileChange =
  | { readonly kind: "write"; readonly bytes: Buffer; readonly at: number }
  | { readonly kind: "cut"; readonly size: number };

export class RecordedFile extends RecordedNode<FileChange> {
  #content = Buffer.alloc(0);

  protected apply(change: FileChange): void {
    this.#content = changed(this.#content, change);
  }

  async layOut(at: string, dice: Dice | undefined): Promise<void> {
    let content = this.#content;
    for (const change of this.surviving(dice)) content = changed(content, torn(change, dice!));
    await writeFile(at, content);
  }
}

const SECTOR_BYTES = 512;

/** Tears a write interrupted by a power cut: only some of its sectors survive. */
function torn(change: FileChange, dice: Dice): FileChange {
  if (change.kind === "cut" || dice.chance(0.7)) return change;
  const sectors = Math.ceil(change.bytes.length / SECTOR_BYTES);
  return { ...change, bytes: change.bytes.subarray(0, dice.between(0, sectors) * SECTOR_BYTES) };
}

function changed(content: Buffer, change: FileChange): Buffer<ArrayBuffer> {
  const end = change.kind === "cut" ? change.size : Math.max(content.length, change.at + change.bytes.length);
  const next = Buffer.alloc(end);
  content.copy(next);
  if (change.kind === "write") change.bytes.copy(next, change.at);
  return next;
}

interface EntryChange {
  readonly name: string;
  /** The current entry. Undefined if the entry was removed. */
  readonly node: RecordedFile | RecordedFolder | undefined;
}

export class RecordedFolder extends RecordedNode<EntryChange> {
  /** Entries as seen by processes. */
  readonly now = new Map<string, RecordedFile | RecordedFolder>();
  readonly #onDisk = new Map<string, RecordedFile | RecordedFolder>();

  enter(name: string, node: RecordedFile | RecordedFolder | undefined): void {
    put(this.now, { name, node });
    this.pending.push({ name, node });
  }

  protected apply(entry: EntryChange): void {
    put(this.#onDisk, entry);
  }

  async layOut(at: string, dice: Dice | undefined): Promise<void> {
    await mkdir(at, { recursive: true });
    const entries = new Map(this.#onDisk);
    for (const entry of this.surviving(dice)) put(entries, entry);
    for (const [name, node] of entries) await node.layOut(path.join(at, name), dice);
  }
}

function put(entries: Map<string, RecordedFile | RecordedFolder>, { name, node }: EntryChange): void {
  if (node) entries.set(name, node);
  else entries.delete(name);
}
