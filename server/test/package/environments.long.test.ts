import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ENVIRONMENTS } from "#app/environments/environments";
import { setUp } from "#app/environments/set-up";
import { temporaryFolder } from "../support/real-server.ts";

/** `reprise setup` with the real packages, on the Python of the operating system: users have no newer one. */
let folder: string;
let remove: () => Promise<void>;

beforeAll(async () => {
  ({ folder, remove } = await temporaryFolder());
});
afterAll(() => remove());

test.each(ENVIRONMENTS)("$name $version is installed from the package index", async ({ name, version }) => {
  const path = process.env["PATH"];
  process.env["PATH"] = "/usr/bin:/bin";
  try {
    const { isNew, program } = await setUp(folder, name, () => undefined);
    expect(isNew).toBe(true);
    expect((await promisify(execFile)(program!, ["--version"])).stdout).toContain(version);
  } finally {
    process.env["PATH"] = path;
  }
});
