import { describe, expect, test } from "vitest";
import { fakeCli, fakeServer } from "#cli/fake-cli";
import { runCli } from "#cli/program";

test("prints four lines: the address, the page, how to use it, where its data is; not the token", async () => {
  const cli = fakeCli();
  const done = runCli(["serve"], cli);
  await expect.poll(() => cli.printed).toHaveLength(4);
  cli.send("SIGTERM");
  expect(await done).toBe(0);
  expect(cli.printed).toEqual([
    "Reprise 1.2.3 is ready at http://127.0.0.1:7070 (Ctrl-C stops it)",
    "Its page: http://127.0.0.1:7070/sign-in#code (signs in once, within ten minutes; `reprise login` prints another)",
    'To use it: export REANA_SERVER_URL=http://127.0.0.1:7070 REANA_ACCESS_TOKEN="$(cat /data/admin-token)"; reana-client ping',
    "Its API: http://127.0.0.1:7070/api/docs, its data: /data, its log: /data/logs/server.log",
    "Stopping …",
    "Stopped.",
  ]);
});

test("an unknown variable is reported, with the nearest setting", async () => {
  const environment = {
    REPRISE_PROT: "1",
    REPRISE_PORT: "2",
    REPRISE_QUITE_ANOTHER: "x",
    REPRISE_TOKEN: "x",
    HOME: "/",
  };
  const cli = fakeCli({ environment });
  const done = runCli(["serve"], cli);
  await expect.poll(() => cli.printed).toHaveLength(4);
  cli.send("SIGTERM");
  await done;
  expect(cli.errors).toEqual([
    "REPRISE_PROT is no setting; did you mean REPRISE_PORT?",
    "REPRISE_QUITE_ANOTHER is no setting.",
  ]);
});

test("a missing wall is said on the terminal", async () => {
  const warnings = ["Warning: Jobs run without a sandbox."];
  const cli = fakeCli({ startServer: async () => fakeServer({ warnings }) });
  const done = runCli(["serve"], cli);
  await expect.poll(() => cli.printed).toHaveLength(4);
  cli.send("SIGTERM");
  await done;
  expect(cli.errors).toEqual(warnings);
});

test("JSON lines", async () => {
  const cli = fakeCli({
    startServer: async () => fakeServer({ close: async () => ({ jobsLeftRunning: 2 }) }),
  });
  const done = runCli(["serve", "--json"], cli);
  await expect.poll(() => cli.printed).toHaveLength(1);
  cli.send("SIGINT");
  await done;
  expect(cli.printed.map((line) => JSON.parse(line) as object)).toEqual([
    {
      url: "http://127.0.0.1:7070",
      sign_in_url: "http://127.0.0.1:7070/sign-in#code",
      data_folder: "/data",
      admin_token_file: "/data/admin-token",
      log_file: "/data/logs/server.log",
    },
    { stopped: true, jobs_running: 2 },
  ]);
});

test("only options that were typed are passed on, by the names of the settings", async () => {
  const cli = fakeCli();
  const done = runCli(["serve", "--port", "0", "--no-sample-run"], cli);
  await expect.poll(() => cli.printed).toHaveLength(4);
  cli.send("SIGTERM");
  await done;
  expect(cli.started).toEqual([{ port: "0", sampleRun: false }]);
});

describe("SIGHUP", () => {
  async function hangUp(isTerminal: boolean) {
    let reopened = 0;
    const server = fakeServer({ reopenLog: () => void (reopened += 1) });
    const cli = fakeCli({ isTerminal, startServer: async () => server });
    const done = runCli(["serve"], cli);
    await expect.poll(() => cli.printed).toHaveLength(4);
    cli.send("SIGHUP");
    await expect.poll(() => reopened > 0 || cli.printed.length > 4).toBe(true);
    const isStopping = cli.printed.includes("Stopping …");
    if (!isStopping) cli.send("SIGTERM");
    await done;
    return { reopened, isStopping };
  }

  test("opens the log again for other programs that rotate the log", async () => {
    expect(await hangUp(false)).toEqual({ reopened: 1, isStopping: false });
  });

  test("stops a server whose terminal was closed", async () => {
    expect(await hangUp(true)).toEqual({ reopened: 0, isStopping: true });
  });
});

describe("when it stops", () => {
  /** Serves, presses Ctrl-C once, and keeps the server closing until the test lets it finish. */
  async function pressedOnce(...args: string[]) {
    let closed: ((value: { jobsLeftRunning: number }) => void) | undefined;
    const stopped: boolean[] = [];
    const server = fakeServer({
      close: ({ stopJobs }) => {
        stopped.push(stopJobs);
        return new Promise((resolve) => (closed = resolve));
      },
    });
    const cli = fakeCli({ startServer: async () => server });
    const done = runCli(["serve", ...args], cli);
    await expect.poll(() => cli.printed).toHaveLength(4);
    cli.send("SIGINT");
    await expect.poll(() => closed).toBeDefined();
    return { cli, done, stopped, close: (jobsLeftRunning: number) => closed!({ jobsLeftRunning }) };
  }

  test.each([
    [1, "Stopped. 1 job continues; `reprise serve` will find it."],
    [3, "Stopped. 3 jobs continue; `reprise serve` will find them."],
  ])("reports %d continuing jobs", async (jobs, line) => {
    const { cli, done, stopped, close } = await pressedOnce();
    close(jobs);
    expect(await done).toBe(0);
    expect(cli.printed.at(-1)).toBe(line);
    expect(stopped).toEqual([false]);
  });

  test("it stops the jobs with --stop-jobs", async () => {
    const { done, stopped, close } = await pressedOnce("--stop-jobs");
    close(0);
    await done;
    expect(stopped).toEqual([true]);
  });

  test("one press that arrives three times counts once; a second press exits at once", async () => {
    const { cli, done, close } = await pressedOnce();
    cli.nowMs = 20;
    cli.send("SIGINT");
    cli.send("SIGINT");
    expect(cli.exits).toEqual([]);
    cli.nowMs = 2000;
    cli.send("SIGINT");
    expect(cli.exits).toEqual([130]);
    close(0);
    await done;
  });
});

describe("a failed start is a single sentence", () => {
  const systemError = (code: string, parts: object) => Object.assign(new Error("no"), { code, ...parts });

  test.each([
    [
      systemError("EADDRINUSE", { address: "127.0.0.1", port: 7070 }),
      "Another program listens on port 7070 of 127.0.0.1 already. Choose another port with --port, or stop that program.",
    ],
    [
      systemError("EACCES", { address: "127.0.0.1", port: 80 }),
      "This user may not listen on port 80 of 127.0.0.1. Choose a port from 1024 on with --port.",
    ],
    [
      systemError("EADDRNOTAVAIL", { address: "10.9.8.7", port: 7070 }),
      "This machine has no address 10.9.8.7 to listen on. Choose another with --host.",
    ],
    [new Error("The data folder is in use."), "The data folder is in use."],
  ])("%s", async (error, sentence) => {
    const cli = fakeCli({ startServer: () => Promise.reject(error) });
    expect(await runCli(["serve"], cli)).toBe(1);
    expect(cli.errors).toEqual([sentence]);
    expect(cli.printed).toEqual([]);
  });

  test("prints the stack only at log level debug", async () => {
    const cli = fakeCli({ startServer: () => Promise.reject(new Error("Odd.")), wantsStacks: () => true });
    await runCli(["serve"], cli);
    expect(cli.errors[1]).toContain("serve.test.ts");
  });
});
