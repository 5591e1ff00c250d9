import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openGitSource } from "#sources/git-source";
import { filesIn, needCredentials, SPEC, useGitSource } from "./git-source-fixture.ts";

const fixture = useGitSource();

describe("a repository becomes a folder of ordinary files", () => {
  test("the default branch, without history and without .git", async () => {
    const repository = await fixture().server.addRepository("ok", {
      "reana.yaml": SPEC,
      "data/a b.txt": "a",
      "run.sh": "#!/bin/sh\n",
    });
    const fetched = await fixture().fetch(repository.url);
    expect(fetched).toEqual({
      folder: fixture().into,
      specificationName: "reana.yaml",
      specificationText: SPEC,
      address: repository.url,
      warnings: [],
    });
    expect(await filesIn(fixture().into)).toEqual(["data/a b.txt", "reana.yaml", "run.sh"]);
    expect((await stat(path.join(fixture().into, "run.sh"))).mode & 0o777).toBe(0o755 & ~process.umask());
    expect((await stat(path.join(fixture().into, "reana.yaml"))).mode & 0o111).toBe(0);
  });

  test("a folder of it, or the folder of the YAML file that is named", async () => {
    const files = {
      README: "r",
      "deep/er/reana.yml": SPEC,
      "deep/er/x": "1",
      "deep/er/other.yaml": `${SPEC}# other\n`,
    };
    const { url } = await fixture().server.addRepository("sub", files);
    expect(await fixture().fetch(`${url}#deep/er`)).toMatchObject({
      specificationName: "reana.yml",
      specificationText: SPEC,
    });
    expect(await filesIn(fixture().into)).toEqual(["other.yaml", "reana.yml", "x"]);
    await rm(fixture().into, { recursive: true });
    const other = await fixture().fetch(`${url}#deep/er/other.yaml`);
    expect(other).toMatchObject({ specificationName: "other.yaml", specificationText: `${SPEC}# other\n` });
    expect(await filesIn(fixture().into)).toEqual(["other.yaml", "reana.yml", "x"]);
  });

  test("a branch, a tag with a message, a commit", async () => {
    const repository = await fixture().server.addRepository("refs", { "reana.yaml": SPEC, version: "1" });
    const first = await repository.git("rev-parse", "HEAD");
    await repository.git("tag", "--annotate", "--message=One", "v1");
    await repository.git("switch", "--quiet", "--create", "feature/x");
    await repository.commit({ version: "2" });
    await repository.git("switch", "--quiet", "main");
    await repository.commit({ version: "3" });
    const expected = { "": "3", "@main": "3", "@feature/x": "2", "@v1": "1", [`@${first}`]: "1" };
    for (const [suffix, version] of Object.entries(expected)) {
      const { address } = await fixture().fetch(repository.url + suffix);
      expect(address).toBe(repository.url + suffix);
      expect(await readFile(path.join(fixture().into, "version"), "utf8")).toBe(version);
      await rm(fixture().into, { recursive: true });
    }
    expect(await fixture().fetch(`${repository.url}#reana.yaml@feature/x`)).toMatchObject({
      specificationName: "reana.yaml",
    });
  });

  test("many concurrent fetches get separate folders", async () => {
    const repository = await fixture().server.addRepository("many", { "reana.yaml": SPEC });
    const source = openGitSource(fixture().options);
    const folders = Array.from({ length: 4 }, (_, i) => path.join(fixture().folder, `w${i}`));
    await Promise.all(folders.map((one) => source.fetch(repository.url, one)));
    for (const one of folders) expect(await filesIn(one)).toEqual(["reana.yaml"]);
  });
});

describe("no part of a repository reaches out of the folder", () => {
  test("links and submodules are left out, and said", async () => {
    const repository = await fixture().server.addRepository("links", {
      "reana.yaml": SPEC,
      passwd: { linkTo: "/etc/passwd" },
      "data/up": { linkTo: "../.." },
      plain: "p",
    });
    await repository.git("update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},module`);
    const modules = `[submodule "module"]\n\tpath = module\n\turl = ${fixture().server.url}/secret.git\n`;
    await writeFile(path.join(repository.workFolder, ".gitmodules"), modules);
    await repository.git("add", ".gitmodules");
    await repository.git("commit", "--quiet", "--message=Module");
    await repository.publish();
    const { warnings } = await fixture().fetch(repository.url);
    expect(await filesIn(fixture().into)).toEqual([".gitmodules", "plain", "reana.yaml"]);
    expect(warnings.map(({ code, path: where, message }) => `${code} ${where}: ${message}`)).toEqual([
      "left_out data/up: The symbolic link data/up was left out: only ordinary files are taken from a repository.",
      "left_out module: The submodule module was left out: only ordinary files are taken from a repository.",
      "left_out passwd: The symbolic link passwd was left out: only ordinary files are taken from a repository.",
    ]);
    expect(fixture().server.requests.filter((request) => request.includes("secret"))).toEqual([]);
  });

  test("a linked specification is refused", async () => {
    const { url } = await fixture().server.addRepository("linked-spec", {
      "reana.yaml": { linkTo: "/etc/hostname" },
      a: "a",
    });
    expect((await fixture().refusalOf(url)).message).toContain(
      "There is no ordinary file reana.yaml or reana.yml at http",
    );
    expect((await fixture().refusalOf(`${url}#reana.yaml`)).message).toContain(
      "There is no ordinary file reana.yaml at http",
    );
  });

  test("hooks, filters, encodings and line ends that it asks for are not carried out", async () => {
    const marker = path.join(fixture().folder, "was-run");
    const hook = `#!/bin/sh\ntouch ${marker}\n`;
    const text = "one\ntwo\n";
    const repository = await fixture().server.addRepository("attributes", {
      "reana.yaml": SPEC,
      ".gitattributes": "*.txt text eol=crlf ident working-tree-encoding=UTF-16\n*.bin filter=lfs\n",
      "big.bin": "version https://git-lfs.github.com/spec/v1\n",
      "hooks/post-checkout": hook,
      ".githooks/post-checkout": hook,
      ".gitconfig": `[core]\n\thooksPath = .githooks\n[filter "lfs"]\n\tsmudge = touch ${marker}\n`,
    });
    await writeFile(path.join(repository.workFolder, "text"), text);
    const plain = await repository.git("hash-object", "-w", "--no-filters", "text");
    await repository.git("update-index", "--add", "--cacheinfo", `100644,${plain},a.txt`);
    await repository.git("commit", "--quiet", "--message=Text");
    await repository.publish();
    await fixture().fetch(repository.url);
    expect(await readFile(path.join(fixture().into, "a.txt"), "utf8")).toBe(text);
    expect(await readFile(path.join(fixture().into, "big.bin"), "utf8")).toContain("git-lfs");
    await expect(stat(marker)).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("paths into a .git or upwards are refused", async () => {
    const repository = await fixture().server.addRepository("tricks", { "reana.yaml": SPEC });
    const blob = await repository.git("rev-parse", "HEAD:reana.yaml");
    const id = await repository.storeTree([{ mode: "100644", name: "file", id: blob }]);
    const specification = { mode: "100644", name: "reana.yaml", id: blob } as const;
    for (const name of [".git", "..", ".GIT"]) {
      await repository.commitTree([specification, { mode: "40000", name, id }]);
      expect((await fixture().refusalOf(repository.url)).message).toMatch(/could not be (written|read)/);
    }
  });

  test("the user's and the system's git settings do not count", async () => {
    const repository = await fixture().server.addRepository("settings", { "reana.yaml": SPEC });
    const home = path.join(fixture().folder, "home");
    await mkdir(home);
    const marker = path.join(fixture().folder, "was-run");
    await writeFile(
      path.join(home, ".gitconfig"),
      `[credential]\n\thelper = "!touch ${marker}; true"\n[url "${fixture().server.url}/nowhere"]\n\tinsteadOf = ${fixture().server.url}/settings.git\n`,
    );
    fixture().answerFirst = needCredentials;
    const before = process.env["HOME"];
    process.env["HOME"] = home;
    try {
      await fixture().refusalOf(repository.url);
      fixture().answerFirst = () => false;
      await fixture().fetch(repository.url);
    } finally {
      process.env["HOME"] = before;
    }
    await expect(stat(marker)).rejects.toMatchObject({ code: "ENOENT" });
  });
});

test("a folder that holds something already is left alone", async () => {
  const { url } = await fixture().server.addRepository("ok", { "reana.yaml": SPEC });
  await mkdir(fixture().into);
  await writeFile(path.join(fixture().into, "mine"), "mine");
  await expect(fixture().fetch(url)).rejects.toThrow("is not empty");
  expect(await filesIn(fixture().into)).toEqual(["mine"]);
});
