import { execFileSync } from "node:child_process";
import process from "node:process";
import { expect, it } from "vitest";

it("`reprise run` does not load Node's client for the web, which it does not need", () => {
  const start = new URL("../../src/app/start.ts", import.meta.url);
  const script = `await import(${JSON.stringify(start.href)}); console.log(process.moduleLoadList.join("\\n"));`;
  const args = ["--input-type=module", "--eval", script];
  const loaded = execFileSync(process.execPath, args, { encoding: "utf8" }).split("\n");
  expect(loaded).toContain("NativeModule fs");
  expect(loaded.filter((name) => name.includes("undici"))).toEqual([]);
});
