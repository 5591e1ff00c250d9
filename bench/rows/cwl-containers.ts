import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { BASH_IMAGE, openPodman } from "../../server/src/backends/containers/podman-fixture.ts";
import { buildPackage } from "../support/built.ts";
import { scatterOfTrue } from "../support/cwl-documents.ts";
import { cwltoolPath } from "../support/cwltool-path.ts";
import { cwltoolOn, peer } from "../support/peers.ts";
import { ratioInTurns } from "../support/rounds.ts";
import { removeFolder, temporaryFolder } from "../support/server-process.ts";
import { atLeast, type Row } from "../support/table.ts";

const JOBS = 20;
const ROUNDS = 3;

/** Measures a scatter in containers as a whole command. The image is made here. */
export async function cwlContainers(): Promise<Row[]> {
  peer("cwltool");
  const folder = await temporaryFolder();
  const podman = openPodman();
  try {
    const program = await buildPackage(folder);
    await writeFile(path.join(folder, "scatter.cwl"), JSON.stringify(scatterOfTrue(JOBS, BASH_IMAGE)));
    const theirPath = await cwltoolPath(path.join(folder, "wrapper"));
    const ours = async () => timeOf(program, folder);
    const theirs = () =>
      cwltoolOn(folder, "scatter.cwl", ["--podman", "--disable-pull", "--parallel"], { PATH: theirPath });
    const { ratio, detail } = await ratioInTurns(theirs, ours, ROUNDS);
    const what = `scatter of ${JOBS} in containers, whole \`cwl-runner\`, times faster`;
    return [atLeast(what, "cwltool --podman --parallel", ratio, 2, `${detail} ms`)];
  } finally {
    podman.close();
    await removeFolder(folder);
  }
}

function timeOf(program: string, folder: string): number {
  const file = path.join(folder, "scatter.cwl");
  const outdir = `--outdir=${path.join(folder, "ours")}`;
  const args = [program, "cwl-runner", "--podman", "--disable-pull", "--quiet", outdir, file];
  const env = { ...process.env, XDG_CACHE_HOME: path.join(folder, "cache"), TMPDIR: folder };
  const beganAt = performance.now();
  execFileSync(process.execPath, args, { env, stdio: ["ignore", "ignore", "inherit"] });
  return performance.now() - beganAt;
}
