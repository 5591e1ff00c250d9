import { execFileSync } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import type { Backend, JobRequest } from "#backends/backend";
import { Containers } from "#backends/containers/containers";
import { imageOptionsIn } from "#backends/containers/images/images-fixture";
import { installFake, PODMAN_INFO } from "#backends/containers/runtime-fixture";
import { writeSecretFiles } from "#backends/process/attempt/secret-files";
import { type LocalFixture, withLocal } from "#backends/local/local-fixture";
import { systemClock } from "#plumbing/clock";
import { folderForEach } from "#plumbing/files/folder-fixture";

let folder: string;
folderForEach((made) => void (folder = made));
const opened: number[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const fd of opened.splice(0)) closeSync(fd);
});

/**
 * Makes a named pipe with a reader: a server that opens the pipe carelessly fails the test instead of hanging
 * it.
 */
function makePipe(file: string): void {
  execFileSync("mkfifo", [file]);
  opened.push(openSync(file, constants.O_RDONLY | constants.O_NONBLOCK));
}

/** A folder that no job is to change, with a file. */
const elsewhere = () => path.join(folder, "elsewhere");
const linkToFile = (place: string) => symlinkSync(path.join(elsewhere(), "files", "kept"), place);
const linkToFolder = (place: string) => symlinkSync(elsewhere(), place);

const SECRETS = { environment: { TOKEN: "hunter22" }, files: new Map([["key.pem", Buffer.from("key")]]) };

/** Returns a job with every kind of file that the server writes. */
function jobWithFiles(local: LocalFixture): JobRequest {
  mkdirSync(path.join(local.workspaceFolder, "own"), { recursive: true });
  // LC_ALL means something to bash, and the runtimes cannot read a variable with several lines.
  const environment = { LC_ALL: "C", LINES_OF_TEXT: "one\ntwo" };
  return {
    ...local.request("true", { image: "localhost/a:1", environment, writable: ["own"] }),
    secrets: SECRETS,
  };
}

/** Opens a backend whose podman has every image, and free space. */
function openWithPodman(local: LocalFixture): Backend {
  installFake(folder, { name: "podman", info: PODMAN_INFO, also: `image) echo '[{"Id":"sha256:1"}]' ;;` });
  const images = imageOptionsIn(folder);
  const measureDisk = () => ({ bsize: 1, blocks: 0, bavail: 0 });
  const options = { choice: "podman", hostId: "host", images, measureDisk, clock: systemClock } as const;
  return local.open({ containers: new Containers({ ...options, log: { error: () => undefined } }) });
}

test.each([
  ["A named pipe", "container", makePipe, "the file about its container"],
  ["A link", "container", linkToFile, "the file about its container"],
  ...["variables.sh", "files/key.pem", "hooks/binds.json", "environment.sh"].flatMap((name) => [
    ["A named pipe", `secrets/${name}`, makePipe, "a file of its secrets"] as const,
    ["A link", `secrets/${name}`, linkToFile, "a file of its secrets"] as const,
  ]),
  ...["secrets", "secrets/files", "secrets/hooks"].flatMap((name) => [
    ["Another file", name, makePipe, "a folder of its secrets"] as const,
    ["A link", name, linkToFolder, "a folder of its secrets"] as const,
  ]),
] as const)(
  "%s in the place of %s: the job is lost, and nothing is written there",
  (found, place, make, named) =>
    withLocal(async (local) => {
      mkdirSync(path.join(elsewhere(), "files"), { recursive: true });
      writeFileSync(path.join(elsewhere(), "files", "kept"), "text");
      const backend = place === "secrets/environment.sh" ? local.open() : openWithPodman(local);
      const job = jobWithFiles(local);
      const told: string[] = [];
      backend.watch((_id, { status }) => told.push(status));
      const damaged = path.join(local.folder, job.id, place);
      mkdirSync(path.dirname(damaged), { recursive: true, mode: 0o700 });
      make(damaged);
      const state = await backend.submit(job);
      const detail = expect.stringContaining(`${found} was found in place of ${named}`);
      expect(state).toMatchObject({ status: "ended", end: { reason: "lost", exitCode: null, detail } });
      expect(told).toEqual(["ended"]);
      expect(await local.open().submit(job)).toEqual(state);
      expect(readdirSync(elsewhere(), { recursive: true })).toEqual(["files", "files/kept"]);
      expect(readFileSync(path.join(elsewhere(), "files", "kept"), "utf8")).toBe("text");
      expect(existsSync(path.join(local.folder, job.id, "secrets"))).toBe(false);
    })(),
);

test(
  "files that an earlier server has written are replaced",
  withLocal(async (local) => {
    const attempt = path.join(local.folder, "attempt");
    mkdirSync(attempt);
    const write = (text: string) =>
      writeSecretFiles(attempt, { environment: {}, files: new Map([["key.pem", Buffer.from(text)]]) });
    write("a longer key");
    write("key");
    expect(readFileSync(path.join(attempt, "secrets", "files", "key.pem"), "utf8")).toBe("key");
  }),
);
