import { execFile } from "node:child_process";
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { environmentOf } from "./packed.ts";
import { temporaryFolder } from "../support/real-server.ts";

const ROOT = path.join(import.meta.dirname, "..", "..", "..");
/** The environment of a user's shell: npm passes the settings of the checkout to its scripts, such as `npm test`. */
const env = Object.fromEntries(
  Object.entries(environmentOf(process.execPath)).filter(([name]) => !name.startsWith("npm_config_")),
);
const run = (cwd: string, command: string, ...args: string[]) =>
  promisify(execFile)(command, args, { cwd, env });

const CODE = `
import { connect, waitFor } from "reprise-sdk";
import { uploadFile } from "reprise-sdk/node";
const fetch = async () => new Response(JSON.stringify({ message: "OK" }));
const { data } = await connect({ url: "http://reprise.test", fetch }).GET("/api/ping");
console.log(data.message, typeof waitFor, typeof uploadFile);
`;

test("plain npm pack in sdk makes a package that Node runs, without the server", async () => {
  const { folder, remove } = await temporaryFolder();
  const modules = path.join(folder, "node_modules");
  await mkdir(modules);
  await run(path.join(ROOT, "sdk"), "npm", "pack", `--pack-destination=${folder}`);
  // Unpacked next to its dependencies, as npm would do with a registry.
  await run(folder, "tar", "-xzf", "reprise-sdk-0.1.0.tgz");
  await run(folder, "mv", "package", path.join(modules, "reprise-sdk"));
  for (const name of ["openapi-fetch", "openapi-typescript-helpers"])
    await symlink(path.join(ROOT, "node_modules", name), path.join(modules, name));
  await writeFile(path.join(folder, "package.json"), '{"type":"module"}');
  await writeFile(path.join(folder, "sdk.js"), CODE);
  expect((await run(folder, process.execPath, "sdk.js")).stdout).toBe("OK function function\n");
  const files = await readdir(path.join(modules, "reprise-sdk"), { recursive: true });
  expect(files).toEqual(
    expect.arrayContaining(["LICENSE", "README.md", "dist/index.d.ts", "dist/index.js", "dist/node.js"]),
  );
  expect(files.filter((name) => /(?<!\.d)\.ts$|test|generate/.test(name))).toEqual([]);
  await remove();
});
