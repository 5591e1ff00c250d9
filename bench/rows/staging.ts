import { spawnSync } from "node:child_process";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { systemClock } from "../../server/src/plumbing/clock.ts";
import { systemRandom } from "../../server/src/plumbing/ids.ts";
import type { StageEntry } from "../../server/src/workflow/job/stage.ts";
import type { Workspace } from "../../server/src/workspace/workspace.ts";
import { openWorkspaces } from "../../server/src/workspace/workspaces.ts";
import { ratioInTurns } from "../support/rounds.ts";
import { removeFolder, temporaryFolder } from "../support/server-process.ts";
import { atMost, type Row } from "../support/table.ts";

const FILES = 1000;
const BOUND = 1.5;

/** Measures the staging of links to 1,000 files for one job, both with the parent folder and one by one. */
export async function staging(): Promise<Row[]> {
  const folder = await temporaryFolder();
  const workspace = await filledWorkspace(folder);
  let turn = 0;
  const stage = (at: string, more: readonly StageEntry[] = []) =>
    timeOf(workspace, at, () => {
      const links = names().map((name): StageEntry => ({ at: `${at}/${name}`, link: `data/${name}` }));
      const signal = new AbortController().signal;
      return workspace.stage({
        jobId: at,
        entries: [...more, ...links],
        assertLease: async () => {},
        signal,
      });
    });
  const together = async () => {
    const at = `together-${(turn += 1)}`;
    return stage(at, [{ at, folder: true }]);
  };
  const one = () => stage(`single-${(turn += 1)}`);
  const loop = () => {
    const at = `shell-${(turn += 1)}`;
    const script = `mkdir ${at}; for name in ${names().join(" ")}; do ln -s ../data/$name ${at}/$name; done`;
    return timeOf(
      workspace,
      at,
      async () => void spawnSync("bash", ["-c", script], { cwd: workspace.folder }),
    );
  };
  const inFolder = await ratioInTurns(together, loop);
  const singly = await ratioInTurns(one, loop);
  await removeFolder(folder);
  const what = (how: string) => `staging 1,000 files by link for one job, ${how}, ms`;
  return [
    atMost(what("with their folder"), "`ln -s` in a shell loop", inFolder.ratio, BOUND, "×", inFolder.detail),
    atMost(what("one by one"), "`ln -s` in a shell loop", singly.ratio, BOUND, "×", singly.detail),
  ];
}

function names(): string[] {
  return Array.from({ length: FILES }, (_, index) => `file-${index}`);
}

async function filledWorkspace(folder: string): Promise<Workspace> {
  const [workspaces, incomingFolder] = [path.join(folder, "workspaces"), path.join(folder, "incoming")];
  await mkdir(incomingFolder);
  const given = {
    folder: workspaces,
    incomingFolder,
    fsync: false,
    random: systemRandom,
    clock: systemClock,
  };
  const workspace = openWorkspaces(given).of("w");
  await workspace.create();
  await mkdir(path.join(workspace.folder, "data"));
  for (const name of names()) await writeFile(path.join(workspace.folder, "data", name), name);
  return workspace;
}

async function timeOf(workspace: Workspace, at: string, work: () => Promise<void>): Promise<number> {
  const beganAt = performance.now();
  await work();
  const ms = performance.now() - beganAt;
  const made = await readdir(path.join(workspace.folder, at));
  if (made.length !== FILES) throw new Error(`${made.length} of ${FILES} links were made.`);
  return ms;
}
