import { execFile } from "node:child_process";
import { chmod, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BASH_IMAGE, NO_PODMAN, openPodman, PLAIN_IMAGE } from "#backends/containers/podman-fixture";
import { testUnless } from "#plumbing/needs-suite";
import { temporaryFolder } from "../support/real-server.ts";
import { environmentOf, packInto } from "./packed.ts";

/** Packs of the installed package, unpacked and run by another user without a network. */
let folder: string;
let remove: () => Promise<void>;
const environment = environmentOf(process.execPath);

const type = (command: string, words: readonly string[], env: NodeJS.ProcessEnv = environment) =>
  promisify(execFile)(command, words, { cwd: folder, env });
const reprise = (words: readonly string[], env?: NodeJS.ProcessEnv) =>
  type(path.join(folder, "node_modules", ".bin", "reprise"), [...words, "--data", "data"], env);

beforeAll(async () => {
  ({ folder, remove } = await temporaryFolder());
  await type("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", await packInto(folder)]);
});

afterAll(() => remove());

interface Analysis {
  readonly files: Readonly<Record<string, string>>;
  readonly specification: object;
}

const serial = (command: string, image = "any"): Analysis => ({
  files: { "data/in.txt": "1\n2\n3\n", "more/a b.txt": "4\n" },
  specification: {
    inputs: { files: ["data/in.txt"], directories: ["more"], parameters: { count: 2 } },
    workflow: {
      type: "serial",
      specification: { steps: [{ environment: image, commands: [command] }] },
    },
    outputs: { files: ["out.txt"], directories: ["made"] },
  },
});

const SORT = "mkdir -p made; head -n ${count} data/in.txt > out.txt; cat more/* > 'made/a b.txt'";

const CWL: Analysis = {
  files: {
    "head.cwl": JSON.stringify({
      cwlVersion: "v1.2",
      class: "CommandLineTool",
      baseCommand: ["head", "-n"],
      inputs: {
        count: { type: "int", inputBinding: { position: 1 } },
        numbers: { type: "File", inputBinding: { position: 2 } },
      },
      stdout: "out.txt",
      outputs: { first: "stdout" },
    }),
    "in.txt": "1\n2\n3\n",
  },
  specification: {
    inputs: {
      files: ["head.cwl", "in.txt"],
      parameters: { count: 2, numbers: { class: "File", location: "in.txt" } },
    },
    workflow: { type: "cwl", file: "head.cwl" },
  },
};

/** Runs an analysis, packs it, and unpacks the pack elsewhere. */
async function unpacked(name: string, { files, specification }: Analysis, env?: NodeJS.ProcessEnv) {
  for (const [file, content] of Object.entries({ ...files, "reana.yaml": JSON.stringify(specification) })) {
    const place = path.join(folder, name, file);
    await mkdir(path.dirname(place), { recursive: true });
    await writeFile(place, content);
  }
  await reprise(["run", name, "-n", name], env);
  const { stdout } = await reprise(["pack", name, "-o", `${name}.zip`], env);
  expect(stdout).toMatch(/^Wrote \w+\.zip \(.*\)\. To run it, unpack it and type: sh run\.sh\n$/);
  const place = path.join(folder, "another place", name);
  await mkdir(path.dirname(place), { recursive: true });
  await type("/bin/sh", ["-c", 'umask 077; unzip -q "$1" -d "$2"', "sh", `${name}.zip`, place]);
  return place;
}

/** Runs a pack as a user who has Node alone, in a network namespace without an address. */
async function runPack(place: string) {
  const bin = path.join(folder, "bin");
  await mkdir(bin, { recursive: true });
  const isThere = (await readdir(bin)).includes("node");
  if (!isThere) await symlink(process.execPath, path.join(bin, "node"));
  for (const one of [folder, path.dirname(place)]) await chmod(one, 0o755);
  await type("chown", ["-R", "65534:65534", place]);
  const script = `umask 027; exec setpriv --reuid 65534 --regid 65534 --clear-groups sh "$1"`;
  const words = ["--net", "sh", "-c", script, "sh", path.join(place, "run.sh")];
  return type("unshare", words, { PATH: `${bin}:/usr/bin:/bin`, HOME: "/nonexistent" });
}

test.each([
  ["serial", serial(SORT), 2],
  ["cwl", CWL, 1],
])(
  "a %s workflow gives the recorded outputs, under another user, path and umask, and without a network",
  async (name, analysis, count) => {
    const { stdout } = await runPack(await unpacked(name, analysis));
    expect(stdout).toMatch(
      new RegExp(`^All outputs are identical to the recorded ones: ${count} compared\\.$`, "m"),
    );
  },
);

test("an output that differs is named, and the script fails", async () => {
  const place = await unpacked("clock", serial("date +%N > out.txt"));
  await expect(runPack(place)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /out\.txt: FAILED[^]*these outputs differ from the recorded ones\. The new outputs are in again\/outputs\.\n$/,
    ) as string,
  });
});

testUnless(NO_PODMAN)(
  "the images of steps come along, and a pack of an image that is gone is refused",
  async () => {
    const podman = openPodman();
    try {
      const env = { ...process.env, ...environment, REPRISE_CONTAINERS: "podman" };
      const place = await unpacked("image", serial(SORT, BASH_IMAGE), env);
      podman.run("rmi", "--force", BASH_IMAGE);
      await expect(reprise(["pack", "image", "-o", "other.zip"], env)).rejects.toMatchObject({
        stderr: expect.stringContaining(
          `the image ${BASH_IMAGE} is not on this machine. Pull it and try`,
        ) as string,
      });
      expect(await readdir(folder)).not.toContain("other.zip");
      const { stdout } = await type("sh", [path.join(place, "run.sh")], {
        ...env,
        PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin:/usr/sbin:/sbin`,
      });
      expect(stdout).toContain("All outputs are identical to the recorded ones: 2 compared.");
      expect(podman.run("images", "--format", "{{.Repository}}:{{.Tag}}")).not.toContain(BASH_IMAGE);
    } finally {
      podman.close();
    }
  },
);

testUnless(NO_PODMAN)(
  "an image that is named by its digest runs from the packed layers, and so does an image whose tag has moved",
  async () => {
    const podman = openPodman();
    try {
      const env = { ...process.env, ...environment, REPRISE_CONTAINERS: "podman" };
      const digest = podman.run("image", "inspect", BASH_IMAGE, "--format", "{{.Digest}}").trim();
      const byDigest = await unpacked(
        "digest",
        serial(SORT, `${BASH_IMAGE.replace(/:1$/, "")}@${digest}`),
        env,
      );
      const list = await readFile(path.join(byDigest, "ro-crate-pack", "images.txt"), "utf8");
      expect(list).toMatch(new RegExp(`^[0-9a-f]{64} localhost/with-bash@${digest}\n$`));
      const byTag = await unpacked("tagged", serial(SORT, BASH_IMAGE), env);
      podman.run("tag", PLAIN_IMAGE, BASH_IMAGE);
      await reprise(["pack", "tagged", "-o", "moved.zip"], env);
      podman.run("rmi", "--all", "--force");
      for (const place of [byDigest, byTag]) {
        const { stdout } = await type("sh", [path.join(place, "run.sh")], {
          ...env,
          PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin:/usr/sbin:/sbin`,
        });
        expect(stdout).toContain("All outputs are identical to the recorded ones: 2 compared.");
      }
    } finally {
      podman.close();
    }
  },
);
