import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { environmentOf, packInto, packWith } from "./packed.ts";
import { temporaryFolder } from "../support/real-server.ts";

/** Limit of the published package, which is installed here away from the checkout. */
const PACKAGE_BYTES_MAX = 5 << 20;

let folder: string;
let remove: () => Promise<void>;
let tarball: string;

/** Makes the commands of the package run under this Node. */
const environment = environmentOf(process.execPath);

const type = (command: string, ...args: string[]) =>
  promisify(execFile)(command, args, { cwd: folder, env: environment });
const reprise = (...args: string[]) => type(path.join(folder, "node_modules", ".bin", "reprise"), ...args);

/** Writes a small workflow in CWL and one in Yadage. */
async function writeLanguages(): Promise<void> {
  const tool = {
    cwlVersion: "v1.2",
    class: "CommandLineTool",
    baseCommand: ["echo", "hello"],
    inputs: {},
    stdout: "hello.txt",
    outputs: { hello: "stdout" },
  };
  const step = {
    process: { process_type: "string-interpolated-cmd", cmd: "echo hello" },
    environment: { environment_type: "docker-encapsulated", image: "any" },
    publisher: { publisher_type: "frompar-pub", outputmap: {} },
  };
  const scheduler = { scheduler_type: "singlestep-stage", step, parameters: {} };
  const contents = {
    "hello.cwl": tool,
    "cwl.yaml": { inputs: { files: ["hello.cwl"] }, workflow: { type: "cwl", file: "hello.cwl" } },
    "stages.yaml": { stages: [{ name: "hello", dependencies: ["init"], scheduler }] },
    "yadage.yaml": { inputs: { files: ["stages.yaml"] }, workflow: { type: "yadage", file: "stages.yaml" } },
  };
  await Promise.all(
    Object.entries(contents).map(([name, content]) =>
      writeFile(path.join(folder, name), JSON.stringify(content)),
    ),
  );
}

beforeAll(async () => {
  ({ folder, remove } = await temporaryFolder());
  tarball = await packInto(folder);
  await type("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", tarball);
});

afterAll(() => remove());

describe("the package", () => {
  test("holds compiled JavaScript and little else, and no script that an installation would run", async () => {
    const { stdout } = await type("tar", "-tvzf", tarball);
    const files = stdout
      .trim()
      .split("\n")
      .map((line) => line.split(/\s+/));
    const bytes = files.reduce((sum, [, , size]) => sum + Number(size), 0);
    expect(bytes).toBeLessThan(PACKAGE_BYTES_MAX);
    const names = files.map((line) => line[5]!);
    expect(names).toEqual(
      expect.arrayContaining(["package/LICENSE", "package/README.md", "package/dist/main.js"]),
    );
    expect(names.filter((name) => /(?<!\.d)\.ts$|test|fixture|fake/.test(name))).toEqual([]);
    const { stdout: manifest } = await type("tar", "-xzOf", tarball, "package/package.json");
    expect(JSON.parse(manifest)).not.toHaveProperty("scripts");
  });

  test("is equal, whatever the umask of the checkout", async () => {
    const { folder: other, remove: removeOther } = await temporaryFolder();
    const again = await packWith("077", other);
    expect(await readFile(again)).toEqual(await readFile(tarball));
    await removeOther();
  });

  test("says its version, also by npx", async () => {
    expect((await reprise("--version")).stdout).toBe("0.1.0\n");
    expect((await type("npx", "--yes", `./${path.basename(tarball)}`, "--version")).stdout).toBe("0.1.0\n");
  });

  test("serves, and the commands reach the server", async () => {
    const data = path.join(folder, "data");
    const server = spawn(
      path.join(folder, "node_modules", ".bin", "reprise"),
      ["serve", "--port", "0", "--data", data],
      {
        env: environment,
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    const [ready] = (await once(server.stdout, "data")) as [Buffer];
    expect(ready.toString()).toContain("is ready at http://127.0.0.1:");
    const { stdout } = await reprise("list", "--data", data, "--json");
    expect(JSON.parse(stdout)).toEqual([expect.objectContaining({ name: expect.any(String) })]);
    server.kill("SIGTERM");
    expect(await once(server, "exit")).toEqual([0, null]);
  });

  test("validates without a server, from a file of its own", async () => {
    await writeFile(
      path.join(folder, "reana.yaml"),
      "workflow: {type: serial, specification: {steps: [{environment: any, commands: ['true']}]}}",
    );
    expect((await reprise("validate")).stdout).toMatch(/^reana\.yaml is valid/m);
  });

  test("runs jobs, records results and compares runs: the server finds the scripts and threads", async () => {
    const steps = [{ environment: "any", commands: ["date +%N > out.txt"] }];
    const workflow = { type: "serial", specification: { steps } };
    await writeFile(
      path.join(folder, "clock.yaml"),
      JSON.stringify({ workflow, outputs: { files: ["out.txt"] } }),
    );
    const name = path.basename(folder);
    const run = ["run", "clock.yaml", "--data", path.join(folder, "runs")];
    expect((await reprise(...run)).stdout).toContain("out.txt");
    await reprise(...run);
    const { stdout } = await reprise("diff", `${name}.1`, `${name}.2`, "--data", path.join(folder, "runs"));
    expect(stdout).toContain("out.txt");
  });

  test("runs languages whose engines are in processes: CWL and Yadage, with and without a server", async () => {
    await writeLanguages();
    for (const file of ["cwl.yaml", "yadage.yaml"])
      expect((await reprise("run", file, "--data", "languages")).stderr).toMatch(/\.\d finished after/);
    const { stdout } = await reprise("cwl-runner", "hello.cwl");
    expect(JSON.parse(stdout)).toMatchObject({ hello: { basename: "hello.txt", size: 6 } });
  });

  test("brings the SDK", async () => {
    const code =
      'import { connect } from "reprise/sdk"; import { uploadFile } from "reprise/sdk/node"; console.log(typeof connect, typeof uploadFile);';
    await writeFile(path.join(folder, "sdk.js"), code);
    expect((await type("node", "sdk.js")).stdout).toBe("function function\n");
  });

  test("refuses an older Node with the required version, and has no other effect", async () => {
    const older =
      'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "22.17.1" } });';
    await writeFile(path.join(folder, "older.js"), older);
    const command = path.join(folder, "node_modules", "reprise", "bin", "reprise.js");
    await expect(type("node", "--import", "./older.js", command, "serve")).rejects.toMatchObject({
      code: 1,
      stdout: "",
      stderr: "reprise needs Node 22.18 or newer, and this is Node 22.17.1: install a newer one.\n",
    });
  });
});
