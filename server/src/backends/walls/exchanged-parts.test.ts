import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { Backend } from "#backends/backend";
import { removeAtOnce } from "#backends/backend-fixture";
import { type LocalFixture, localFixture } from "#backends/local/local-fixture";
import { openSandbox } from "#backends/walls/sandbox";
import { NO_BUBBLEWRAP } from "#backends/walls/sandbox-fixture";
import { maybeProgram } from "#plumbing/files/find-program";
import { shellQuote } from "#plumbing/text/shell-quote";
import { describeUnless } from "#plumbing/needs-suite";

const REFUSED =
  "reprise: The job was not started, because a part of its workspace was replaced by a link at that moment.\n";

/** In these tests another process of the same user acts just before bwrap. */
describeUnless(NO_BUBBLEWRAP)("parts of the workspace that are exchanged after they were checked", () => {
  let local: LocalFixture;
  let backend: Backend;
  let key: string;
  let before: string;

  beforeAll(async () => {
    local = await localFixture();
    const real = maybeProgram("bwrap")!;
    before = path.join(local.folder, "before.sh");
    writeFileSync(before, "");
    const programs = path.join(local.folder, "programs");
    mkdirSync(programs);
    const program = path.join(programs, "bwrap");
    writeFileSync(program, `#!/bin/bash\n. ${before}\nexec ${real} "$@"\n`);
    chmodSync(program, 0o755);
    vi.stubEnv("PATH", `${programs}:${process.env["PATH"]}`);
    const sandbox = await openSandbox(local.folder, { network: "on", mounts: [] });
    vi.unstubAllEnvs();
    if (!("wall" in sandbox)) throw new Error(sandbox.problem);
    backend = local.open({ wall: sandbox.wall });
    key = path.join(local.folder, "keys", "key");
    mkdirSync(path.dirname(key));
    writeFileSync(key, "the key of the server\n");
  });
  afterAll(() => local.close());
  beforeEach(async () => {
    for (const name of readdirSync(local.workspaceFolder)) await removeAtOnce(inWorkspace(name));
    for (const name of ["given", "other"]) {
      mkdirSync(inWorkspace(name));
      writeFileSync(inWorkspace(name, "key"), `${name}\n`);
    }
  });

  const inWorkspace = (...names: string[]) => path.join(local.workspaceFolder, ...names);

  /** Runs a job before which bwrap first replaces a folder with a link. */
  const runReplacing = (name: string, to: string, job: Parameters<LocalFixture["run"]>[2]) => {
    const place = shellQuote(inWorkspace(name));
    writeFileSync(before, `rm -rf ${place}; ln -s ${shellQuote(to)} ${place}`);
    return local.run(backend, "cat /given/key given/key; echo spoilt > given/key", job);
  };
  const reading = (from: string, at: string) => ({ from, at, mode: "read" }) as const;

  test.each([
    ["what it mounts", { mounts: [reading("given", "/given")] }],
    ["a file that it mounts", { mounts: [reading("given/key", "/given/key")] }],
    ["one of several", { mounts: [reading("other", "/other"), reading("given", "/given")] }],
  ])("%s: a link to the server's files gives the job nothing", async (_, job) => {
    const { end, log } = await runReplacing("given", path.dirname(key), job);
    expect(end).toMatchObject({ reason: "exited", exitCode: 126 });
    expect(log).toBe(REFUSED);
    expect(readFileSync(key, "utf8")).toBe("the key of the server\n");
  });

  test("writable paths: a link to the server's files gives the job no access", async () => {
    const { end, log } = await runReplacing("given", path.dirname(key), { writable: ["given"] });
    expect(end.exitCode).not.toBe(0);
    expect(log).not.toContain("the key");
    expect(readFileSync(key, "utf8")).toBe("the key of the server\n");
  });

  test("another part of the workspace in its place is refused too", async () => {
    const mounts = [reading("other", "/other"), reading("given", "/given")];
    expect((await runReplacing("given", "other", { mounts })).log).toBe(REFUSED);
  });

  test("a place in the workspace that becomes a link: what is shown is still the job's own", async () => {
    const mounts = [reading("given", inWorkspace("place"))];
    mkdirSync(inWorkspace("place"));
    const { log } = await runReplacing("place", "/etc", { mounts });
    expect(log).not.toContain("the key");
    expect(readdirSync("/etc")).not.toContain("key");
  });

  test("parts whose names the kernel writes with escapes are shown", async () => {
    writeFileSync(before, "");
    const names = ["a b", "back\\slash", "tab\there", "line\nbreak", "[$(id)]", "*", "\u00e9", '"quoted"'];
    for (const name of names) {
      mkdirSync(inWorkspace(name));
      writeFileSync(inWorkspace(name, "file"), "content\n");
    }
    const mounts = names.map((name, at) => reading(name, `/shown/${at}`));
    const { end, log } = await local.run(backend, "cat /shown/*/file", { mounts });
    expect({ ...end, log }).toMatchObject({ exitCode: 0, log: "content\n".repeat(names.length) });
  });

  test("a workspace that is reached by a link is no link in its parts", async () => {
    writeFileSync(before, "");
    const link = path.join(local.folder, "link");
    symlinkSync(local.workspaceFolder, link);
    const request = {
      ...local.request("cat /given/key", { mounts: [reading("given", "/given")] }),
      workspaceFolder: link,
    };
    await backend.submit(request);
    await local.ended(request.id);
    expect(String(await backend.readLog(request.id, 0, 1000))).toBe("given\n");
  });

  test("if bwrap cannot make the sandbox, its own words are in the log", async () => {
    writeFileSync(before, `rm -rf ${shellQuote(inWorkspace("given"))}`);
    const { end, log } = await local.run(backend, "true", { mounts: [reading("given", "/given")] });
    expect(end.exitCode).toBe(1);
    expect(log).toContain("bwrap: ");
  });
});
