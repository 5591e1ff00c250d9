import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readableRoots } from "#app/jobs/readable-roots";
import { readConfig } from "#config/read";
import { systemClock } from "#plumbing/clock";
import { systemRandom } from "#plumbing/ids";
import { openWorkspaces } from "#workspace/workspaces";

let home: string;
const at = (name: string) => path.join(home, name);

beforeAll(async () => {
  home = await mkdtemp(path.join(os.tmpdir(), "reprise-roots-"));
  for (const folder of ["data/deep", "shown", "secret"]) await mkdir(at(folder), { recursive: true });
  await writeFile(at("data/deep/x"), "content");
  await writeFile(at("secret/x"), "secret");
  await symlink(at("data"), at("linked"));
  await symlink(at("secret"), at("data/out"));
});
afterAll(() => rm(home, { recursive: true }));

function filesWith(...mounts: string[]) {
  const config = readConfig({ REPRISE_MOUNTS: mounts.join("\n") });
  const workspaces = openWorkspaces({
    folder: at("workspaces"),
    incomingFolder: at("incoming"),
    readableRoots: readableRoots(config),
    fsync: false,
    random: systemRandom,
    clock: systemClock,
  });
  return workspaces.of("w").forRun(new AbortController().signal);
}

test("a folder that jobs see at its own path may be read, also by way of the administrator's link", async () => {
  const files = filesWith(at("data"), at("linked"), at("not-yet"));
  for (const name of ["data", "linked"]) {
    expect(await files.look(at(`${name}/deep/x`))).toEqual({ kind: "file", bytes: 7 });
    expect(await files.read(at(`${name}/deep/x`), 100)).toEqual({ text: "content", bytes: 7 });
  }
  expect(await files.look(at("not-yet/x"))).toEqual({ kind: "absent" });
  await expect(files.write(at("data/new"), "text")).rejects.toMatchObject({ name: "Refusal" });
});

test("no other path may be read: behind a link, at another path, beside a shown file, or without a mount", async () => {
  const files = filesWith(at("data"), `${at("secret")}:${at("shown")}`, at("secret/x"));
  for (const name of ["data/out/x", "data/../secret/x", "secret/x", "shown/x", "database"])
    expect(await files.look(at(name)).catch(({ name: kind }: Error) => kind)).toSatisfy(
      (seen: unknown) => seen === "Refusal" || (seen as { kind: string }).kind === "absent",
    );
  expect(await filesWith().look(at("data/deep/x"))).toEqual({ kind: "absent" });
});
