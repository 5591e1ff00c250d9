import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { ratioInTurns } from "../support/rounds.ts";
import {
  peakMemoryMb,
  removeFolder,
  startReprise,
  temporaryFolder,
  TOKEN,
} from "../support/server-process.ts";
import { atMost, type Row } from "../support/table.ts";
import { createRun } from "../support/transfer.ts";

const FOLDERS = 100;
const FILES_IN_EACH = 100;
const FILE_BYTES = 100_000;
/** Indexes of the differing files in each folder: one differs only in its last byte, the other is text. */
const DIFFERS = 50;
const IS_TEXT = 51;

/**
 * Compares two workspaces of 10,000 files, 1 GB each. Both are in the system's file cache when the measurement starts.
 */
export async function diff(): Promise<Row[]> {
  const folder = await temporaryFolder();
  const server = await startReprise(folder);
  const a = await filledRun(server.url, folder, "a");
  const b = await filledRun(server.url, folder, "b");
  const ours = async () => {
    const beganAt = performance.now();
    const route = `workflows/${a.run}/comparison/${b.run}?access_token=${TOKEN}`;
    const response = await fetch(`${server.url}/api/${route}`);
    const { files } = (await response.json()) as { files: { changed: number; same: number } };
    const ms = performance.now() - beganAt;
    if (files.changed !== 2 * FOLDERS || files.same !== FOLDERS * (FILES_IN_EACH - 2)) {
      throw new Error(`The comparison told ${JSON.stringify(files).slice(0, 200)}.`);
    }
    return ms;
  };
  const theirs = async () => {
    const beganAt = performance.now();
    const { stdout } = spawnSync("diff", ["-rq", a.files, b.files], { encoding: "utf8" });
    if (stdout.trim().split("\n").length !== 2 * FOLDERS)
      throw new Error(`diff told ${stdout.slice(0, 200)}.`);
    return performance.now() - beganAt;
  };
  const { ratio, detail } = await ratioInTurns(ours, theirs);
  const peakMb = await peakMemoryMb(server.pid);
  await server.stop();
  await removeFolder(folder);
  return [
    atMost("comparing two workspaces of 10,000 files, 1 GB each, ms", "`diff -rq`", ratio, 3, "×", detail),
    atMost("the server's memory meanwhile", "–", peakMb, 200, "MB"),
  ];
}

/**
 * Makes a workflow with files. Returns it with its workspace folder, which is found by its appearance at the
 * first upload.
 */
async function filledRun(
  url: string,
  dataFolder: string,
  mark: string,
): Promise<{ readonly run: string; readonly files: string }> {
  const workspaces = path.join(dataFolder, "workspaces");
  const before = await readdir(workspaces).catch((): string[] => []);
  const run = await createRun(url, TOKEN);
  const upload = `workflows/${run}/workspace?file_name=000/text&access_token=${TOKEN}`;
  await fetch(`${url}/api/${upload}`, { method: "POST", body: "text" });
  const name = (await readdir(workspaces)).find((one) => !before.includes(one))!;
  const files = path.join(workspaces, name);
  for (let folder = 0; folder < FOLDERS; folder += 1) await fillFolder(files, folder, mark);
  return { run, files };
}

const CONTENT = randomBytes(FILE_BYTES);

async function fillFolder(files: string, folder: number, mark: string): Promise<void> {
  const target = path.join(files, String(folder).padStart(3, "0"));
  await mkdir(target, { recursive: true });
  for (let file = 0; file < FILES_IN_EACH; file += 1) {
    const name = path.join(target, file === IS_TEXT ? "text" : String(file).padStart(3, "0"));
    await writeFile(name, file === IS_TEXT ? textOf(mark) : contentOf(file === DIFFERS ? mark : "same"));
  }
}

function contentOf(mark: string): Buffer {
  CONTENT.write(mark.slice(0, 1), FILE_BYTES - 1);
  return CONTENT;
}

function textOf(mark: string): string {
  const lines = Array.from({ length: 5000 }, (_, line) => `line ${line}`);
  lines[2500] = mark;
  return lines.join("\n");
}
