import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startGitHttpServer } from "../files/git-http-server.ts";
import { ADMIN_TOKEN, client, startRealServer } from "../support/real-server.ts";
import { RecordedDisk } from "./recorded-disk.ts";
import { type CallMoment, hasStrace, NEEDS_STRACE, readTrace, traced } from "./strace.ts";

const MAIN = path.join(import.meta.dirname, "..", "..", "src", "main.ts");

/** An acknowledged change: the text of the answer, and a check that the change has survived. */
interface Acknowledged {
  readonly answer: string;
  check(url: string): Promise<void>;
}

/** Everything acknowledged must be on the disk at the moment at which the answer leaves the server. */
describe("a power cut in the moment of an answer", () => {
  let root: string;
  let data: string;
  let trace: string;

  beforeEach(async (context) => {
    context.skip(!hasStrace(), NEEDS_STRACE);
    root = await realpath(await mkdtemp(path.join(os.tmpdir(), "reprise-power-")));
    data = path.join(root, "made", "data");
    trace = path.join(root, "trace");
  });

  afterEach(() => rm(root, { recursive: true, force: true }));

  /** Starts the server under strace; `kill` ends the server itself, and strace with it. */
  async function startTraced(durability: string) {
    const options = ["serve", "--port", "0", "--data", data, "--durability", durability];
    const [strace, ...args] = traced(trace);
    const child = spawn(strace!, [...args, process.execPath, MAIN, ...options], {
      stdio: ["ignore", "pipe", "inherit"],
      env: {
        ...process.env,
        REPRISE_ADMIN_TOKEN: ADMIN_TOKEN,
        REPRISE_SAMPLE_RUN: "false",
        REPRISE_GIT_HTTP_HOSTS: "127.0.0.1",
        REPRISE_GIT_PRIVATE_HOSTS: "127.0.0.1",
      },
    });
    const exited = once(child, "exit");
    let printed = "";
    while (!printed.includes("http://")) printed += String((await once(child.stdout, "data"))[0]);
    child.stdout.resume();
    const { url, pid } = JSON.parse(await readFile(path.join(data, "server.json"), "utf8")) as {
      url: string;
      pid: number;
    };
    const kill = async () => {
      process.kill(pid, "SIGKILL");
      await exited;
    };
    return { url, kill };
  }

  /** Makes a series of changes. Returns the acknowledged changes. */
  async function story(url: string, repository: string): Promise<Acknowledged[]> {
    const { call, create, upload, setStatus } = client(url);
    const told: Acknowledged[] = [];
    const { body: user } = await call("POST", "users", undefined, "&email=ada@example.org");
    const token = user["access_token"] as string;
    told.push({
      answer: token,
      check: async (at) => expect((await client(at, token).call("GET", "workflows")).status).toBe(200),
    });
    const id = await create(["true"]);
    told.push({ answer: id, check: async (at) => expect(await client(at).status(id)).toMatchObject({ id }) });
    const put = async (name: string, content: string) => {
      const { body } = await upload(id, name, content);
      const check = async (at: string) =>
        expect(await client(at).download(id, name)).toEqual({ status: 200, text: content });
      told.push({ answer: body["message"] as string, check });
    };
    await put("in.txt", "one file");
    await put("deep/er/in.txt", "in a folder that was made for it");
    await put("deep/er/other.txt", "in one that was there");
    const { body: fromGit } = await call(
      "POST",
      "workflows",
      undefined,
      `&spec=${encodeURIComponent(repository)}`,
    );
    const gitId = fromGit["workflow_id"] as string;
    told.push({
      answer: gitId,
      check: async (at) =>
        expect((await client(at).download(gitId, "code/deep/a.py")).text).toBe("print(1)\n"),
    });
    await setStatus(id, "start");
    told.push({
      answer: '"status":"queued"',
      check: async (at) => expect((await client(at).status(id))["status"]).not.toBe("created"),
    });
    return told;
  }

  async function record(durability: string): Promise<Acknowledged[]> {
    const git = await startGitHttpServer();
    const files = {
      "reana.yaml": "workflow: {type: serial, specification: {steps: [{commands: ['true']}]}}\n",
      "code/deep/a.py": "print(1)\n",
    };
    const repository = await git.addRepository("good", files);
    const server = await startTraced(durability);
    try {
      return await story(server.url, repository.url);
    } finally {
      await server.kill();
      await git.close();
    }
  }

  /** Starts a server on the files that survived the power cut, and checks the acknowledged changes. */
  async function lookAt(disk: RecordedDisk, told: readonly Acknowledged[]): Promise<void> {
    const image = path.join(root, "image");
    await disk.layOut(image);
    const server = await startRealServer(path.join(image, "made", "data"));
    try {
      for (const { check } of told) await check(server.url);
    } finally {
      await server.stop();
      await rm(image, { recursive: true });
    }
  }

  async function cutAtEachAnswer(told: readonly Acknowledged[]): Promise<number> {
    const disk = new RecordedDisk(root);
    let cuts = 0;
    for await (const call of readTrace(trace)) {
      disk.take(call);
      const next = told[cuts];
      if (!next || !says(call, next.answer)) continue;
      cuts += 1;
      await lookAt(disk, told.slice(0, cuts));
    }
    return cuts;
  }

  test("at full loses nothing that was acknowledged: users, workflows, starts, and every file", async () => {
    const told = await record("full");
    expect(await cutAtEachAnswer(told)).toBe(told.length);
  });

  test("`normal` loses some acknowledged changes, so the test can fail", async () => {
    await expect(cutAtEachAnswer(await record("normal"))).rejects.toThrow(/^expected/);
  });
});

function says({ name, when, file, texts }: CallMoment, answer: string): boolean {
  if (when !== "begun" || !["write", "writev", "sendmsg", "sendto"].includes(name)) return false;
  return file?.startsWith("socket:") === true && texts.join("").includes(answer);
}
