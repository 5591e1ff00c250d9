import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { environmentOf, packInto } from "./packed.ts";
import { temporaryFolder } from "../support/real-server.ts";

/** The oldest supported version of Node, and the newest of each maintained line. */
const NODES = ["22.18.0", "22.23.3", "24.21.0", "26.10.0"];
const TOO_OLD = ["20.19.0", "22.17.1"];

let folder: string;
let remove: () => Promise<void>;
let tarball: string;

beforeAll(async () => {
  ({ folder, remove } = await temporaryFolder());
  await mkdir(path.join(folder, "packed"));
  tarball = await packInto(path.join(folder, "packed"));
});

afterAll(() => remove());

/** Sets up a new folder with the package and this version of Node, for running commands. */
async function visitor(version: string) {
  const home = path.join(folder, version);
  await mkdir(home);
  await writeFile(path.join(home, "package.json"), "{}");
  await copyFile(tarball, path.join(home, "reprise.tgz"));
  const name = `node-${process.platform}-${process.arch}`;
  const install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", `${name}@${version}`];
  await promisify(execFile)("npm", install, { cwd: home, env: environmentOf(process.execPath) });
  const env = environmentOf(path.join(home, "node_modules", name, "bin", "node"));
  return {
    home,
    env,
    type: (command: string, ...args: string[]) => promisify(execFile)(command, args, { cwd: home, env }),
  };
}

describe.each(NODES)("the package on Node %s", (version) => {
  test("runs by npx, serves, and carries out a run", async () => {
    const { home, env, type } = await visitor(version);
    expect((await type("node", "--version")).stdout).toBe(`v${version}\n`);
    expect((await type("npx", "--yes", "./reprise.tgz", "--version")).stdout).toBe("0.1.0\n");
    await type("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "./reprise.tgz");
    const reprise = path.join(home, "node_modules", ".bin", "reprise");
    const data = path.join(home, "data");
    const server = spawn(reprise, ["serve", "--port", "0", "--data", data, "--no-sample-run"], {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    expect(String((await once(server.stdout, "data"))[0])).toContain("is ready at http://127.0.0.1:");
    await writeFile(
      path.join(home, "reana.yaml"),
      "outputs: {files: [out]}\n" +
        "workflow: {type: serial, specification: {steps: [{environment: any, commands: ['echo ran > out']}]}}\n",
    );
    const { stdout } = await type(reprise, "run", "--data", data);
    expect(stdout).toContain("out");
    expect((await type("cat", "out")).stdout).toBe("ran\n");
    server.kill("SIGTERM");
    expect(await once(server, "exit")).toEqual([0, null]);
  });
});

test.each(TOO_OLD)("Node %s is refused with the required version, and no other effect", async (version) => {
  const { home, type } = await visitor(version);
  await type("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--force", "./reprise.tgz");
  await expect(type(path.join(home, "node_modules", ".bin", "reprise"), "serve")).rejects.toMatchObject({
    code: 1,
    stdout: "",
    stderr: `reprise needs Node 22.18 or newer, and this is Node ${version}: install a newer one.\n`,
  });
});
