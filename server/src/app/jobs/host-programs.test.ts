import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import { maybeHostProgram, programMounts } from "#app/jobs/host-programs";

/** A program as `pip install --user` or a virtual environment leaves it. */
async function installed() {
  const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-program-"));
  const remove = () => rm(folder, { recursive: true });
  for (const name of ["bin", "lib", "share/jupyter", "share/reprise", "python/bin"]) {
    await mkdir(path.join(folder, name), { recursive: true });
  }
  const [program, python] = [path.join(folder, "bin", "tool"), path.join(folder, "python", "bin", "python3")];
  await symlink(process.execPath, path.join(folder, "bin", "python3"));
  await writeFile(program, `#!${python}\n`);
  await writeFile(python, "");
  await Promise.all([program, python].map((file) => chmod(file, 0o755)));
  return { folder, program, remove };
}

test("a program is found by its path, and a wrong path is refused with the option's name", async () => {
  const { folder, program, remove } = await installed();
  expect(maybeHostProgram("tool", { name: "--tool", value: program })).toBe(program);
  expect(maybeHostProgram("tool", { name: "--tool", value: "none" })).toBeUndefined();
  expect(maybeHostProgram("tool-that-is-not-there", { name: "--tool", value: undefined })).toBeUndefined();
  expect(() => maybeHostProgram("tool", { name: "--tool", value: `${folder}/lib` })).toThrow(
    `--tool ${folder}/lib: there is no such program.`,
  );
  await remove();
});

test("jobs see a program's folder and that of its Python, but never the data folder", async () => {
  const { folder, program, remove } = await installed();
  const shown = (data: string) => programMounts(program, data).map(({ path: from }) => from);
  expect(shown("/elsewhere")).toEqual([folder, `${folder}/python`]);
  expect(shown(`${folder}/share/reprise`)).toEqual([
    `${folder}/bin`,
    `${folder}/lib`,
    `${folder}/share/jupyter`,
    `${folder}/python`,
  ]);
  expect(programMounts(undefined, "/elsewhere")).toEqual([]);
  await remove();
});
