import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCwlCall } from "#app/cwl/run-cwl-call";
import {
  BASH_IMAGE,
  ENTRYPOINT_IMAGE,
  NO_PODMAN,
  openPodman,
  type Podman,
} from "#backends/containers/podman-fixture";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import { readConfig } from "#config/read";
import { UPDATED_IN_PLACE, updateInPlace } from "../support/engines/update-in-place.ts";
import { describeUnless } from "#plumbing/needs-suite";

/** `reprise cwl-runner --podman` with local images. */
describeUnless(NO_PODMAN)("in containers", () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-cwl-containers-"));
  const inFolder = (name: string) => path.join(folder, name);
  let podman: Podman;

  beforeAll(async () => {
    podman = openPodman();
    await mkdir(inFolder("dir"));
    await writeFile(inFolder("one.txt"), "one\n");
    await writeFile(inFolder("dir/two.txt"), "two\n");
  });
  afterAll(() => {
    const left = podman.containers();
    podman.close();
    rmSync(folder, { recursive: true });
    if (left.length > 0) throw new Error(`Containers are left: ${left.join(", ")}`);
  });

  /** Runs a tool. Returns the exit code, the errors and the contents of the outputs. */
  async function run(name: string, container: string, script: string, others: string) {
    await writeFile(
      inFolder(`${name}.cwl`),
      `cwlVersion: v1.2
class: CommandLineTool
baseCommand: [bash, -c, '${script}']
requirements:
  DockerRequirement: ${container}
${others}`,
    );
    return runDocument(name);
  }

  /** Runs the document of a name, as `run` does. */
  async function runDocument(name: string) {
    const config = readConfig({ HOME: folder, REPRISE_DATA: inFolder("data") });
    const cli = fakeCli({ runCwl: (_options, call) => runCwlCall(config, call) });
    const outdir = `--outdir=${inFolder(name)}`;
    const args = ["cwl-runner", "--podman", "--disable-pull", "--quiet", outdir, inFolder(`${name}.cwl`)];
    const code = await runCli(args, cli);
    const outputs = JSON.parse(cli.printed.join("") || "{}") as Readonly<
      Record<string, { path?: string } | null>
    >;
    const texts = Object.entries(outputs).map(([key, file]) => [
      key,
      file?.path && readFileSync(file.path, "utf8"),
    ]);
    return {
      code,
      errors: cli.errors.join("\n"),
      texts: Object.fromEntries(texts) as Readonly<Record<string, string>>,
    };
  }

  test("a tool sees the inputs, and the working folder at the named place", async () => {
    const { code, errors, texts } = await run(
      "outdir",
      `{dockerPull: "${BASH_IMAGE}", dockerOutputDirectory: /other}`,
      "pwd; echo $HOME; cat one.txt $0; cat $1/two.txt; echo made > /other/made; echo x > dir/new",
      `  InitialWorkDirRequirement: {listing: [$(inputs.file), {entry: $(inputs.dir), writable: true}]}
arguments: [$(inputs.file.path), $(inputs.dir.path)]
inputs:
  file: {type: File, default: {class: File, location: one.txt}}
  dir: {type: Directory, default: {class: Directory, location: dir}}
stdout: log
outputs: {log: stdout, made: {type: File, outputBinding: {glob: $(runtime.outdir)/made}}}
`,
    );
    expect([code, errors]).toEqual([0, ""]);
    expect(texts).toEqual({ log: "/other\n/other\none\none\ntwo\n", made: "made\n" });
    expect(() => readFileSync(inFolder("dir/new"))).toThrow("ENOENT");
  });

  test("entries with absolute names stand there in the container, and writable ones are copies", async () => {
    const { code, errors, texts } = await run(
      "entries",
      `{dockerPull: "${BASH_IMAGE}"}`,
      "echo $0; cat $0 /data/text; echo more >> /data/copy; cat /data/copy",
      `  InitialWorkDirRequirement:
    listing:
    - {entryname: /data/in/a.txt, entry: $(inputs.file)}
    - {entryname: /data/text, entry: "of $(inputs.file.basename)\\n"}
    - {entryname: /data/copy, entry: $(inputs.other), writable: true}
arguments: [$(inputs.file.path)]
inputs:
  file: {type: File, default: {class: File, location: one.txt}}
  other: {type: File, default: {class: File, location: dir/two.txt}}
stdout: log
outputs: {log: stdout}
`,
    );
    expect([code, errors]).toEqual([0, ""]);
    expect(texts["log"]).toBe("/data/in/a.txt\none\nof one.txt\ntwo\nmore\n");
    expect(readFileSync(inFolder("dir/two.txt"), "utf8")).toBe("two\n");
  });

  test("a file and a folder are updated in place", async () => {
    await writeFile(inFolder("update.cwl"), updateInPlace(BASH_IMAGE));
    const { code, errors, texts } = await runDocument("update");
    expect([code, errors, texts["log"]]).toEqual([0, "", UPDATED_IN_PLACE]);
  });

  test("paths written down by a tool are paths of the container", async () => {
    const { code, texts } = await run(
      "json",
      `{dockerPull: "${BASH_IMAGE}", dockerOutputDirectory: /out}`,
      String.raw`echo 1 > made; echo "{\"o\": {\"class\": \"File\", \"path\": \"/out/made\"}}" > cwl.output.json`,
      "inputs: {}\noutputs: {o: File}\n",
    );
    expect([code, texts["o"]]).toEqual([0, "1\n"]);
  });

  test("a link to a file of the container alone is no output", async () => {
    const { code, errors } = await run(
      "link",
      `{dockerPull: "${BASH_IMAGE}"}`,
      "echo 1 > /tmp/made; ln -s /tmp/made o",
      "inputs: {}\noutputs: {o: {type: File, outputBinding: {glob: o}}}\n",
    );
    expect(code).toBe(1);
    expect(errors).toContain("the link o leads outside of the job's folder");
  });

  describe("an image that the document makes is made once, and runs the command", () => {
    test.each<[string, string, () => string]>([
      ["dockerLoad", BASH_IMAGE, () => saved(inFolder("saved.tar"))],
      ["dockerImport", "imported:1", () => exported(inFolder("tree.tar"))],
      ["dockerFile", "built:1", () => `FROM ${BASH_IMAGE}\\nENV KIND=built\\nRUN echo made > /made`],
    ])("%s", async (way, id, source) => {
      const given = source();
      if (id === BASH_IMAGE) podman.run("rmi", "--force", id);
      const container = `{${way}: "${given}", dockerImageId: "${id}"}`;
      const script = "echo $KIND; test ! -e /made || cat /made";
      const tail = "inputs: {}\nstdout: log\noutputs: {log: stdout}\n";
      const first = await run(way, container, script, tail);
      expect([first.code, first.errors]).toEqual([0, ""]);
      expect(first.texts["log"]).toBe(way === "dockerFile" ? "built\nmade\n" : "\n");
      // The second run needs neither the archive nor a build.
      const again = await run(way, container.replace(given, "/gone"), script, tail);
      expect([again.code, again.texts]).toEqual([0, first.texts]);
    });

    function saved(file: string): string {
      podman.run("save", "--quiet", "--output", file, BASH_IMAGE);
      return file;
    }

    function exported(file: string): string {
      podman.run("create", "--name", "tree", BASH_IMAGE, "true");
      podman.run("export", "--output", file, "tree");
      podman.run("rm", "tree");
      return file;
    }
  });

  test.each([
    ["dockerLoad", "/nowhere.tar", "The image none:1 cannot be made (dockerLoad): "],
    ["dockerFile", "FROM nowhere.invalid/none", "The image none:1 cannot be made (dockerFile): "],
  ])("an image that cannot be made is named with the reason: %s", async (way, source, sentence) => {
    const container = `{${way}: "${source}", dockerImageId: "none:1"}`;
    const { code, errors } = await run(`no-${way}`, container, "true", "inputs: {}\noutputs: {}\n");
    expect(code).toBe(1);
    expect(errors).toContain(sentence);
  });

  test("a container without an image is refused", async () => {
    const { code, errors } = await run("none", "{}", "true", "inputs: {}\noutputs: {}\n");
    expect([code, errors]).toEqual([
      1,
      "none.cwl: DockerRequirement names no image. Give `dockerPull`, or the `dockerImageId` of an image that is on the machine.",
    ]);
  });

  test("the ENTRYPOINT of an image gets the words of the command", async () => {
    const { code, errors, texts } = await run(
      "entrypoint",
      `{dockerImageId: "${ENTRYPOINT_IMAGE}"}`,
      "never run",
      "inputs: {}\nstdout: log\noutputs: {log: stdout}\n",
    );
    expect([code, errors]).toEqual([0, ""]);
    expect(texts["log"]).toContain("never run");
  });
});
