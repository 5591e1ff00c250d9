import { existsSync, mkdtempSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { makeImages } from "#app/cwl/runner-images";
import { installFake, PODMAN_INFO } from "#backends/container/runtime-fixture";
import { signal } from "#backends/local/processes/process-table";
import type { CwlModel } from "#engines/cwl/model/model";

test("a run that is stopped ends the build of its image, which removes its working container", async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-runtime-"));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  const working = path.join(folder, "working");
  // A signal ends podman at once. It tidies up only after a command that fails.
  const also = `build) touch ${working}; echo $$ >> ${folder}/calls; sleep 1000; rm ${working}; exit 1 ;;`;
  const podman = installFake(folder, { name: "podman", info: PODMAN_INFO, also });
  const requirement = { class: "DockerRequirement", dockerFile: "FROM base:1", dockerImageId: "made:1" };
  const model = { processes: [], jobRequirements: [requirement] } as unknown as CwlModel;
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
