import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { environmentMounts, imagesOf } from "#app/jobs/images";
import { startApp } from "#app/start";
import { readConfig } from "#config/read";
import { folderForEach } from "#plumbing/files/folder-fixture";

let folder: string;
folderForEach((made) => void (folder = made));

function configWith(options: Record<string, string>) {
  mkdirSync(path.join(folder, "py", "bin"), { recursive: true });
  writeFileSync(path.join(folder, "run"), "#!/bin/sh\n", { mode: 0o755 });
  return readConfig({}, options);
}

test("a folder is an environment, which jobs see, and a file is a program", () => {
  const imageMap = `python:*=${folder}/py\nroot:*=${folder}/run --quiet\njulia=/usr/bin`;
  const config = configWith({ imageMap });
  expect(imagesOf(config)).toEqual({
    mode: "map",
    standIns: [
      { pattern: "python:*", by: { folder: `${folder}/py` } },
      { pattern: "root:*", by: { command: [`${folder}/run`, "--quiet"] } },
      { pattern: "julia", by: { folder: "/usr/bin" } },
    ],
  });
  expect(environmentMounts(config)).toEqual([{ path: `${folder}/py`, at: `${folder}/py`, mode: "read" }]);
});

test("what does not exist is refused at the start", () => {
  expect(() => imagesOf(configWith({ imageMap: "a=/nowhere/env" }))).toThrow(
    "--image-map a=/nowhere/env: there is no folder or program /nowhere/env.",
  );
});

test("a server that requires stand-ins refuses to start a run of another image", async () => {
  const options = {
    images: "require",
    sandbox: "none",
    containers: "none",
    sampleRun: "false",
    port: "0",
    logTo: "file",
  };
  const app = await startApp(readConfig({}, { ...options, dataFolder: path.join(folder, "data") }), "0.1.0");
  const call = async (method: string, route: string, body?: unknown) => {
    const response = await fetch(`${app.url}/api/workflows${route}`, {
      method,
      headers: { authorization: `Bearer ${app.adminToken}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return {
      status: response.status,
      body: (await response.json()) as { workflow_id: string; message: string },
    };
  };
  const steps = [{ environment: "julia:1", commands: ["true"] }];
  const created = await call("POST", "", { workflow: { type: "serial", specification: { steps } } });
  const started = await call("PUT", `/${created.body.workflow_id}/status?status=start`);
  await app.close();
  expect(started).toMatchObject({
    status: 400,
    body: {
      message: expect.stringMatching(/^No environment of this server stands in for the image julia:1\./),
    },
  });
});
