import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { maybeOpenOwn, maybeReadOwn } from "#backends/process/attempt/own-file";
import { codeOf } from "#plumbing/errors";
import { systemRandom } from "#plumbing/ids";

/**
 * The records of jobs in a folder that several machines share. A record is a folder, `AA/ID`, made complete in
 * `incoming/` and renamed into place. Machines agree by names alone, because an exclusive `mkdir` and a hard link have
 * exactly one winner on every shared disk, unlike lines that two machines append to one file:
 *
 *     order       the script that supervises the job (job.sh)
 *     start       the script that becomes the command of the job
 *     inside      the command of a job in an image of the node, which `start` runs there
 *     tidy        the script that removes a killed container from the node
 *     scratch/    the HOME of the job
 *     secrets/    the secrets of the job, until its end
 *     outside     the cluster and the number of the job there
 *     again       the numbers of further submissions, if the cluster forgot the job
 *     claim/      made by the only supervisor that runs the job, or by a server so that none does
 *     claim/owner where the supervisor runs, or `nobody`
 *     log         what the job prints
 *     stop        made by a server: the supervisor ends the job
 *     noted       why the supervisor ends the job
 *     end         how the job ended; a hard link, so that the first end counts
 *     made        the files made by the job, as seen on its node, with digests of declared outputs
 *     seen        the verdict of a server about these files: visible, or not
 *     expected    files that earlier jobs made: the supervisor starts the command once its node sees them
 *     awaits      a file that the node does not see yet
 *     unawaited   made by a server that does not see the expected files either: somebody has changed them since
 *     image       the digest of the image in which the job runs
 *     why         why the cluster ended the job
 *     said        what the cluster wrote about the job
 *
 * `news/ID.N` tells the server that a record has a new claim or a new end. It is only a hint.
 */
export class RecordFiles {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  /** Makes the folder ready, and returns its token: another folder has other records, and another token. */
  open(): string {
    for (const name of ["", "incoming", "news"])
      mkdirSync(path.join(this.root, name), { recursive: true, mode: 0o700 });
    return tokenOf(this.root);
  }

  folderOf(id: string): string {
    return path.join(this.root, id.slice(0, 2), id);
  }

  newsOf(id: string): string {
    return path.join(this.root, "news", id);
  }

  /** Puts a record in place, filled by `fill`. Returns false if there is one already. */
  put(id: string, fill: (folder: string) => void): boolean {
    const target = this.folderOf(id);
    if (existsSync(target)) return false;
    const made = path.join(this.root, "incoming", `${id}.${systemRandom.uuid()}`);
    mkdirSync(made, { mode: 0o700 });
    try {
      fill(made);
      mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 });
      // A record that is in place already is never empty, so a rename cannot replace it.
      renameSync(made, target);
      return true;
    } catch (error) {
      rmSync(made, { recursive: true, force: true });
      if (["EEXIST", "ENOTEMPTY"].includes(String(codeOf(error)))) return false;
      throw error;
    }
  }

  /** Returns the text of a file of a record. Undefined if there is none, or if a job has put something else there. */
  maybeText(id: string, name: string, maxBytes = TEXT_MAX_BYTES): string | undefined {
    const file = maybeOpenOwn(path.join(this.folderOf(id), name), "read");
    if (file === undefined || typeof file === "string") return undefined;
    return maybeReadOwn(file, maxBytes)?.toString();
  }

  has(id: string, name: string): boolean {
    return existsSync(path.join(this.folderOf(id), name));
  }

  /** Takes the claim for nobody, so that the job never starts. Returns false if the claim is taken. */
  claimForNobody(id: string): boolean {
    const claim = path.join(this.folderOf(id), "claim");
    try {
      mkdirSync(claim, { mode: 0o700 });
    } catch (error) {
      if (codeOf(error) === "EEXIST") return false;
      throw error;
    }
    writeFileSync(path.join(claim, "owner"), NOBODY);
    return true;
  }

  /** Writes a file of a record as a whole, unless the file exists. */
  writeOnce(id: string, name: string, text: string): void {
    const folder = this.folderOf(id);
    const own = path.join(folder, `.${name}.${systemRandom.uuid()}`);
    writeFileSync(own, text, { mode: 0o600 });
    try {
      linkSync(own, path.join(folder, name));
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    } finally {
      unlinkSync(own);
    }
  }

  /** Writes a file of a record as a whole. Only the server writes such a file. */
  replace(id: string, name: string, text: string): void {
    const own = path.join(this.folderOf(id), `.${name}.${systemRandom.uuid()}`);
    writeFileSync(own, text, { mode: 0o600 });
    renameSync(own, path.join(this.folderOf(id), name));
  }

  /** Tells the server that watches a job to read its record. */
  noteNews(id: string): void {
    writeFileSync(`${this.newsOf(id)}.0`, "");
  }

  /** Returns the ids with news, and forgets the news. */
  takeNews(): string[] {
    const names = readdirSync(path.join(this.root, "news"));
    // Clear the news before the records are read, so that later news stays.
    for (const name of names) rmSync(this.newsOf(name), { force: true });
    return [...new Set(names.map((name) => name.replace(/\.\d+$/, "")))];
  }
}

/** A record is short. A job can write any file, so no more is read. */
const TEXT_MAX_BYTES = 64 * 1024;

const NOBODY = "nobody\n";

function tokenOf(root: string): string {
  const file = path.join(root, "id");
  const made = `${file}.${systemRandom.uuid()}`;
  writeFileSync(made, systemRandom.uuid(), { mode: 0o600 });
  try {
    linkSync(made, file);
  } catch (error) {
    if (codeOf(error) !== "EEXIST")
      throw new Error(`The folder ${root} is on a disk without hard links: records of jobs need them.`, {
        cause: error,
      });
  } finally {
    unlinkSync(made);
  }
  return readFileSync(file, "utf8");
}
