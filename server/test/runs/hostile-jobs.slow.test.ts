import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dataFolderPaths } from "#plumbing/files/data-folder";
import {
  ADMIN_TOKEN,
  client,
  type RealServer,
  startOrdinaryServer,
  temporaryFolder,
} from "../support/real-server.ts";

/**
 * Jobs that attack their own attempt, workspace and the folder of all jobs, as the user of the server. File
 * permissions protect the server, unless root runs it.
 */
describe("a server with jobs that damage the server's files", () => {
  let data: Awaited<ReturnType<typeof temporaryFolder>>;
  let server: RealServer;

  beforeAll(async () => {
    data = await temporaryFolder();
    server = await startOrdinaryServer(data.folder);
  });
  afterAll(async () => {
    await server.stop();
    execFileSync("chmod", ["-R", "u+rwX", data.folder]);
    await data.remove();
  });

  const paths = () => dataFolderPaths(data.folder);
  const restart = async () => {
    await server.kill();
    server = await startOrdinaryServer(data.folder);
  };

  async function begin(script: string): Promise<string> {
    const id = await client(server.url).create([script]);
    await client(server.url).setStatus(id, "start");
    return id;
  }

  async function failureOf(id: string): Promise<string> {
    expect((await client(server.url).ended(id))["status"]).toBe("failed");
    const { status, body } = await client(server.url).call("GET", `workflows/${id}/logs`);
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toContain(ADMIN_TOKEN);
    return JSON.stringify(body);
  }

  /** Deletes a run and checks that no files are left behind. */
  async function remove(id: string): Promise<void> {
    expect((await client(server.url).setStatus(id, "deleted")).status).toBe(200);
    await expect.poll(() => readdirSync(paths().workspaces)).toEqual([]);
    await expect.poll(() => readdirSync(paths().jobs).toSorted()).toEqual(["helpers.log", "slots"]);
  }

  const MOVED = "cd ~/.. && id=$$(basename $$PWD) && cd .. && mv $$id moved && ln -s moved $$id";

  test.each([
    ["its record unreadable", "chmod 000 ~/../record", "may not open was found in place of the record"],
    ["its log unreadable", "echo told; chmod 000 ~/../log", "may not open was found in place of its log"],
    ["its attempt unreadable", "chmod 000 ~/..", "may not open was found in place of the folder"],
    ["a link of its attempt", MOVED, "A link was found in place of the folder"],
  ])("%s: the run ends and says so, and can be deleted", async (_what, command, sentence) => {
    const id = await begin(command);
    expect(await failureOf(id)).toContain(sentence);
    rmSync(path.join(paths().jobs, "moved"), { recursive: true, force: true });
    await remove(id);
  });

  test("folders made unreadable by a job: the run can be deleted", async () => {
    const id = await begin("mkdir -p ~/a/b/c a/b/c && chmod 000 ~/a/b ~/a a/b a");
    expect((await client(server.url).ended(id))["status"]).toBe("finished");
    await remove(id);
  });

  test("the folder of all jobs unreadable: jobs end, and the server starts again", async () => {
    const id = await begin("chmod 000 ~/../..");
    // The server gives the rights back, either before the job's supervisor looks at the log or after it.
    const { status } = await client(server.url).ended(id);
    const failure = status === "failed" ? await failureOf(id) : undefined;
    expect([undefined, expect.stringContaining("Nothing was found in place of its log")]).toContainEqual(
      failure,
    );
    const next = await begin("true");
    expect((await client(server.url).ended(next))["status"]).toBe("finished");
    await client(server.url).setStatus(next, "deleted");
    chmodSync(paths().jobs, 0o000);
    await restart();
    expect(statSync(paths().jobs).mode & 0o777).toBe(0o700);
    await remove(id);
    expect(server.output()).not.toContain("EACCES");
  });

  test("a job that ends itself while no server is there, with a pipe and a link to the token: the next one continues", async () => {
    const token = paths().adminToken;
    const id = await begin(
      `cd ~/.. && rm record log && mkfifo record && ln -s ${token} log && echo up > scratch/up && sleep 1; exit 0`,
    );
    const isUp = () =>
      readdirSync(paths().jobs).some((name) => existsSync(path.join(paths().jobs, name, "scratch", "up")));
    await expect.poll(isUp).toBe(true);
    const during = await client(server.url).call("GET", `workflows/${id}/logs`);
    expect(JSON.stringify(during.body)).toContain(
      "The log cannot be read. A link was found in place of its log",
    );
    await restart();
    expect(await failureOf(id)).toContain("A named pipe was found in place of the record of its attempt");
    expect(readFileSync(token, "utf8")).toBe(`${ADMIN_TOKEN}\n`);
    await remove(id);
  });

  test("a file in the place of its workspace: the run ends, its files are 404, and it can be deleted", async () => {
    const id = await begin('rm -r "$$PWD" && touch "$$PWD"');
    expect(await failureOf(id)).toContain("The files of the run are gone");
    expect((await client(server.url).call("GET", `workflows/${id}/workspace`)).status).toBe(404);
    await restart();
    await remove(id);
  });
});
