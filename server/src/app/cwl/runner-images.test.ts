import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, readlinkSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { makeImages } from "#app/cwl/runner-images";
import { installFake, PODMAN_INFO } from "#backends/containers/runtime-fixture";
import { signal } from "#backends/process/table/process-table";
import { folderForEach } from "#plumbing/files/folder-fixture";
import type { CwlModel } from "#engines/cwl/model/model";

let folder: string;
folderForEach((made) => void (folder = made));
afterEach(() => void vi.unstubAllEnvs());

const modelWith = (requirement: object) =>
  ({
    processes: [],
    jobRequirements: [{ class: "DockerRequirement", dockerImageId: "made:1", ...requirement }],
  }) as unknown as CwlModel;

test("stopping a run ends the build of an image and removes the build's container", async () => {
  const working = path.join(folder, "working");
  // A signal ends podman at once. Podman tidies up only after a failed command.
  const also = `build) touch ${working}; echo $$ >> ${folder}/calls; sleep 1000; rm ${working}; exit 1 ;;`;
  const podman = installFake(folder, { name: "podman", info: PODMAN_INFO, also });
  const model = modelWith({ dockerFile: "FROM base:1" });
  const stopping = new AbortController();
  const made = makeImages(model, { tell: () => undefined, stop: stopping.signal });
  const settled = made.catch((error: unknown) => error);
  await expect.poll(() => podman.calls()).toEqual(["info", "image", "build", expect.any(String)]);
  const pid = Number(podman.calls().at(-1));
  const children = () => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  await expect.poll(children).not.toBe("");
  // Until it executes the command, the child is a copy of the shell.
  await expect.poll(() => readlinkSync(`/proc/${children()}/exe`)).toContain("sleep");
  stopping.abort();
  expect(await settled).toBe(stopping.signal.reason);
  expect(signal(pid, 0)).toBe(false);
  expect(existsSync(working)).toBe(false);
});

/** Serves a local file, and returns its address. */
async function addressOf(file: string): Promise<string> {
  const server = createServer((_request, response) => response.end(readFileSync(file)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/image.tar`;
}

test("an archive that points outside itself is not loaded, fetched or not", async () => {
  const podman = installFake(folder, { name: "podman", info: PODMAN_INFO, also: "load) exit 0 ;;" });
  symlinkSync("/etc", path.join(folder, "link"));
  const archive = path.join(folder, "bad.tar");
  execFileSync("tar", ["-C", folder, "-cf", archive, "link"]);
  for (const dockerLoad of [archive, await addressOf(archive)]) {
    const made = makeImages(modelWith({ dockerLoad }), {
      tell: () => undefined,
      stop: new AbortController().signal,
    });
    await expect(made).rejects.toThrow(
      /^The image made:1 cannot be made \(dockerLoad\): The archive \S+ is not loaded: its entry link points outside the archive\.$/,
    );
  }
  expect(podman.calls()).not.toContain("load");
});
