import { randomBytes } from "node:crypto";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Refusal } from "#plumbing/errors";
import { openGitSource } from "#sources/git-source";
import { startGitHttpServer } from "./git-http-server.ts";
import { filesIn, needCredentials, SPEC, useGitSource } from "./git-source-fixture.ts";

const fixture = useGitSource();

describe("too much is refused", () => {
  test("in sent bytes", async () => {
    const { url } = await fixture().server.addRepository("large", {
      "reana.yaml": SPEC,
      noise: randomBytes(3_000_000),
    });
    const refusal = await fixture().refusalOf(url);
    expect(refusal).toMatchObject({ kind: "malformed" });
    expect(refusal.message).toContain("is larger than 1000000 bytes");
  });

  test("in bytes that only come into being here", async () => {
    const { url } = await fixture().server.addRepository("bomb", {
      "reana.yaml": SPEC,
      zeros: Buffer.alloc(20_000_000),
    });
    expect((await fixture().refusalOf(url)).message).toContain("is larger than 1000000 bytes");
  });

  test("in files, and only where they are wanted", async () => {
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`many/${i}`, ""]));
    const { url } = await fixture().server.addRepository("files", {
      ...many,
      "few/reana.yaml": SPEC,
      "reana.yaml": SPEC,
    });
    expect((await fixture().refusalOf(url)).message).toContain("holds more than 50 files");
    await fixture().fetch(`${url}#few`);
  });

  test("in folders inside folders", async () => {
    const add = (name: string, folders: number) =>
      fixture().server.addRepository(name, { "reana.yaml": SPEC, [`${"d/".repeat(folders)}file`]: "" });
    const refusal = await fixture().refusalOf((await add("too-deep", 201)).url);
    expect(refusal.message).toContain('holds a file in more than 200 nested folders ("d/d/');
    await fixture().fetch((await add("deep", 200)).url);
  });

  test("in a tree that holds itself a million times", async () => {
    const repository = await fixture().server.addRepository("nested", { "reana.yaml": SPEC });
    const blob = await repository.git("rev-parse", "HEAD:reana.yaml");
    let id = await repository.storeTree([{ mode: "100644", name: "file", id: blob }]);
    for (let level = 0; level < 8; level += 1) {
      const entries = Array.from({ length: 10 }, (_, i) => ({ mode: "40000" as const, name: `d${i}`, id }));
      id = await repository.storeTree(entries);
    }
    await repository.commitTree([
      { mode: "40000", name: "a", id },
      { mode: "100644", name: "reana.yaml", id: blob },
    ]);
    expect((await fixture().refusalOf(repository.url)).message).toContain("holds more than 50 files");
  });

  test("in the specification", async () => {
    const { url } = await fixture().server.addRepository("long", {
      "reana.yaml": `${SPEC}${"#".repeat(300_000)}`,
    });
    expect((await fixture().refusalOf(url)).message).toMatch(/reana\.yaml at .* is larger than 256 KiB/);
  });

  test("in time: git and its children are ended", async () => {
    const { url } = await fixture().server.addRepository("slow", { "reana.yaml": SPEC });
    let left: () => void;
    const clientLeft = new Promise<void>((resolve) => (left = resolve));
    fixture().answerFirst = (request) => {
      request.socket.on("close", () => left());
      return true;
    };
    const refusal = await fixture().refusalOf(url, { timeoutMs: 300 });
    expect(refusal).toMatchObject({ kind: "malformed" });
    expect(refusal.message).toBe(`Reading ${url} took longer than 0.3 seconds and was given up.`);
    await clientLeft;
  });

  test("in time, when the resolver never answers", async () => {
    const never = { timeoutMs: 50, resolve: () => new Promise<never>(() => undefined) };
    expect((await fixture().refusalOf("https://example.org/a", never)).message).toContain(
      "took longer than 0.05 seconds",
    );
  });

  test("at once: the ninth is asked to try again", async () => {
    const source = openGitSource({
      ...fixture().options,
      timeoutMs: 100,
      resolve: () => new Promise<never>(() => undefined),
    });
    const all = Array.from({ length: 9 }, () => source.fetch("https://example.org/a", fixture().into));
    const results = await Promise.allSettled(all);
    expect(
      results.map((result) => (result.status === "rejected" ? (result.reason as Refusal).kind : "read")),
    ).toEqual([...Array<string>(8).fill("malformed"), "unavailable"]);
  });
});

describe("an unreadable repository is refused with the reason", () => {
  test("no such repository, ref, path or specification", async () => {
    const { url } = await fixture().server.addRepository("ok", { "a.txt": "a", "dir/reana.yaml": SPEC });
    const rows: readonly (readonly [string, string])[] = [
      [`${fixture().server.url}/absent.git`, "There is no such repository on its host."],
      [`${url}@absent`, 'It has no tag, branch or commit "absent"'],
      [`${url}@${"1".repeat(40)}`, `It has no tag, branch or commit "${"1".repeat(40)}"`],
      [`${url}#absent`, 'There is no "absent" at '],
      [`${url}#a.txt`, '"a.txt" at '],
      [`${url}#dir/a.yaml`, 'There is no "dir/a.yaml" at '],
      [url, "There is no ordinary file reana.yaml or reana.yml at "],
    ];
    for (const [address, sentence] of rows) {
      const refusal = await fixture().refusalOf(address);
      expect(refusal.kind).toBe("malformed");
      expect(refusal.message).toContain(sentence);
    }
  });

  test("an empty repository, a page without a repository, a specification in binary", async () => {
    const repository = await fixture().server.addRepository("empty", {
      "reana.yaml": Buffer.from([0xff, 0xfe, 0x00]),
    });
    expect((await fixture().refusalOf(repository.url)).message).toContain("is not UTF-8 text");
    await repository.git("checkout", "--quiet", "--orphan", "fresh");
    await repository.git("branch", "--quiet", "-D", "main");
    await repository.publish();
    expect((await fixture().refusalOf(repository.url)).message).toContain(
      "no Git repository at this address, or it has no commits.",
    );
    fixture().answerFirst = (_, response) => response.end("<html>Welcome</html>") !== undefined;
    expect((await fixture().refusalOf(repository.url)).message).toContain(
      "no Git repository at this address, or it has no commits.",
    );
  });

  test("a repository with credentials: no prompt appears", async () => {
    const { url } = await fixture().server.addRepository("secret", { "reana.yaml": SPEC });
    fixture().answerFirst = needCredentials;
    expect((await fixture().refusalOf(url)).message).toContain("It asks for a user name or a password");
  });

  test("a redirect: none is followed, not even to an allowed host", async () => {
    const { url } = await fixture().server.addRepository("moved", { "reana.yaml": SPEC });
    const other = await startGitHttpServer();
    try {
      fixture().answerFirst = (request, response) => {
        response.writeHead(302, { location: `${other.url}${request.url}` }).end();
        return true;
      };
      expect((await fixture().refusalOf(url)).message).toContain("which is not followed");
      expect(other.requests).toEqual([]);
    } finally {
      await other.close();
    }
  });

  test("a server that speaks no TLS at an https address", async () => {
    expect(
      (await fixture().refusalOf(`${fixture().server.url.replace("http:", "https:")}/a.git`)).message,
    ).toContain("No secure connection");
  });

  test("a port that no server listens on", async () => {
    const gone = await startGitHttpServer();
    await gone.close();
    expect((await fixture().refusalOf(`${gone.url}/a.git`)).message).toContain("Its host does not answer.");
  });

  test("no git on the machine, or a git that cannot take a host's address", async () => {
    const bin = path.join(fixture().folder, "bin");
    await mkdir(bin);
    const { url } = await fixture().server.addRepository("ok", { "reana.yaml": SPEC });
    const without = await fixture().refusalOf(url, { searchPath: bin });
    expect(without.kind).toBe("not-implemented");
    expect(without.message).toContain("git is not installed on this server");
    await writeFile(path.join(bin, "git"), "#!/bin/sh\necho git version 2.30.2\n");
    await chmod(path.join(bin, "git"), 0o755);
    const old = await fixture().refusalOf(url, { searchPath: bin });
    expect(old).toMatchObject({ kind: "not-implemented" });
    expect(old.message).toContain("git on this server is too old");
  });
});

describe("hosts", () => {
  test("plain http and private addresses are allowed separately", async () => {
    const { url } = await fixture().server.addRepository("ok", { "reana.yaml": SPEC });
    const noHttp = await fixture().refusalOf(url, { httpHosts: [] });
    expect(noHttp).toMatchObject({ kind: "not-implemented" });
    expect(noHttp.message).toContain("over https only");
    const noPrivate = await fixture().refusalOf(url, { privateHosts: ["127.0.0.2"] });
    expect(noPrivate).toMatchObject({ kind: "not-implemented" });
    expect(noPrivate.message).toContain("is a private or local address");
    expect(fixture().server.requests).toEqual([]);
  });

  test("a name with a private address among public addresses is private", async () => {
    const resolve = async () => ["1.1.1.1", "10.0.0.1"];
    const refusal = await fixture().refusalOf("https://rebind.example/a", { resolve });
    expect(refusal).toMatchObject({ kind: "not-implemented" });
  });

  test("a name is looked up once, and git connects to the checked address", async () => {
    const { url } = await fixture().server.addRepository("ok", { "reana.yaml": SPEC });
    const asked: string[] = [];
    const resolve = async (host: string) => {
      asked.push(host);
      return ["127.0.0.1"];
    };
    // No resolver knows this name: only the pinned address can lead git to the server.
    const named = { httpHosts: ["pinned.invalid"], privateHosts: ["pinned.invalid"], resolve };
    await fixture().fetch(url.replace("127.0.0.1", "Pinned.Invalid"), named);
    expect(asked).toEqual(["pinned.invalid"]);
    expect(await filesIn(fixture().into)).toEqual(["reana.yaml"]);
  });

  test("a name that does not exist", async () => {
    const resolve = () => Promise.reject(Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" }));
    const refusal = await fixture().refusalOf("https://nowhere.example/a", { resolve });
    expect(refusal).toMatchObject({ kind: "malformed" });
    expect(refusal.message).toContain("could not be found (ENOTFOUND)");
  });
});
