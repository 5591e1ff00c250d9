import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { removeOldSecrets } from "#backends/process/attempt/secret-files";
import { localFixture } from "#backends/local/local-fixture";
import { statFields } from "#backends/process/table/process-table";
import type { Job } from "#workflow/job/job";
import { type JobSecrets, VARIABLE_BYTES_MAX } from "#workflow/people/secret";

const fixture = await localFixture();
afterAll(() => fixture.close());
const backend = fixture.open();

const SECRETS: JobSecrets = {
  environment: { TOKEN: "hunter22 'and \"more" },
  files: new Map([["key.pem", Buffer.from([0, 255, 10])]]),
};

async function run(
  script: string,
  secrets: JobSecrets = SECRETS,
  environment = {},
  change: Partial<Job> = {},
) {
  const request = { ...fixture.request(script, { environment, ...change }), secrets };
  await backend.submit(request);
  await fixture.ended(request.id);
  const log = (await backend.readLog(request.id, 0, 10_000)).toString("latin1");
  return { id: request.id, log };
}

const left = (id: string) => existsSync(path.join(fixture.folder, id, "secrets"));

describe("the secrets of a job", () => {
  test("are given as variables, and as files that only their owner can read and that are gone at the end", async () => {
    const { id, log } = await run(
      'printf "%s|" "$TOKEN"; cd "$REANA_SECRETS_DIR"; stat -c %a . key.pem | tr "\\n" "|"; cat key.pem',
    );
    expect(log).toBe("hunter22 'and \"more|700|600|\u0000\u00ff\n");
    await expect.poll(() => left(id)).toBe(false);
  });

  test("of an earlier order are removed if the user has deleted the secrets, and no others", () => {
    const attempt = path.join(fixture.folder, "earlier");
    const files = ["files/key.pem", "files/old.pem", "environment.sh", "container.env"];
    const inside = (name: string) => path.join(attempt, "secrets", name);
    mkdirSync(inside("files"), { recursive: true });
    for (const name of files) writeFileSync(inside(name), "");
    const there = () => files.filter((name) => existsSync(inside(name)));
    removeOldSecrets(attempt, SECRETS);
    expect(there()).toEqual(["files/key.pem", "environment.sh", "container.env"]);
    removeOldSecrets(attempt, undefined);
    expect(there()).toEqual(["container.env"]);
  });

  test("may have the length that a variable may have", async () => {
    const value = "x".repeat(VARIABLE_BYTES_MAX);
    const { log } = await run('printf %s "$TOKEN" | wc -c', {
      environment: { TOKEN: value },
      files: new Map(),
    });
    expect(log.trim()).toBe(String(VARIABLE_BYTES_MAX));
  });

  test("need no folder without a file", async () => {
    const { log } = await run('echo "${REANA_SECRETS_DIR-none} $A"', {
      environment: { A: "b" },
      files: new Map(),
    });
    expect(log).toBe("none b\n");
  });

  test.each([
    ["others", SECRETS, "key.pem\n"],
    ["none", undefined, ""],
  ])("are not files of a server that died before running the job: now %s", async (_, now, files) => {
    const request = fixture.request('ls "${REANA_SECRETS_DIR:-$HOME/../secrets/files}"');
    const written = path.join(fixture.folder, request.id, "secrets", "files");
    mkdirSync(written, { recursive: true });
    writeFileSync(path.join(written, "removed.pem"), "old");
    await backend.submit({ ...request, ...(now && { secrets: now }) });
    await fixture.ended(request.id);
    const log = String(await backend.readLog(request.id, 0, 1000));
    expect(log.replace(/^ls: .*\n/, "")).toBe(files);
  });

  test("the variables of the specification win", async () => {
    expect((await run('echo "$TOKEN"', SECRETS, { TOKEN: "mine" })).log).toBe("mine\n");
  });

  test("never in the arguments of a program, also where names mean something to bash", async () => {
    const script = 'echo "$LC_ALL $TOKEN"; tr "\\0" " " </proc/$$/cmdline; cat "$REANA_SECRETS_DIR"/../*.sh';
    const { id, log } = await run(script, SECRETS, { LC_ALL: "C" });
    expect(log).toContain("C hunter22 'and \"more\n");
    expect(log.split("\n")[1]).not.toContain("hunter22");
    await expect.poll(() => left(id)).toBe(false);
  });

  test.each([{}, { LC_ALL: "C" }])("also for a program without a shell, with %j", async (environment) => {
    const read = 'printf "%s|" "$0" "$1" "$TOKEN"; tr "\\0" " " </proc/$$/cmdline';
    const command: Job["command"] = { argv: ["sh", "-c", read, "a  b", ""] };
    const { id, log } = await run("", SECRETS, environment, { command });
    expect(log).toMatch(/^a {2}b\|\|hunter22 'and "more\|sh -c /);
    expect(log.split("|").at(-1)).not.toContain("hunter22");
    await expect.poll(() => left(id)).toBe(false);
  });

  test("a variable that is special to bash is exported too", async () => {
    expect((await run('bash -c "echo $LANG"', { environment: { LANG: "xx" }, files: new Map() })).log).toBe(
      "xx\n",
    );
  });

  test("are removed if the job is cancelled", async () => {
    const request = { ...fixture.request("echo there >there; sleep 100"), secrets: SECRETS };
    await backend.submit(request);
    await fixture.written("there");
    expect(readFileSync(path.join(fixture.folder, request.id, "secrets", "files", "key.pem")).length).toBe(3);
    await backend.cancel(request);
    expect(left(request.id)).toBe(false);
  });

  test("are removed if the job's supervisor was killed", async () => {
    const request = { ...fixture.request("echo $$ >pid; sleep 100"), secrets: SECRETS };
    await backend.submit(request);
    const [, supervisor] = statFields(Number(await fixture.written("pid")))!;
    process.kill(Number(supervisor), "SIGKILL");
    await fixture.ended(request.id);
    await expect.poll(() => left(request.id)).toBe(false);
  });
});
