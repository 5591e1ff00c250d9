import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { USER_AGENT, VERSION } from "./user-agent.ts";

test.each(["../package.json", "../../server/package.json"])("the version is that of %s", (file) => {
  const { version } = JSON.parse(readFileSync(new URL(file, import.meta.url), "utf8")) as { version: string };
  expect(VERSION).toBe(version);
  expect(USER_AGENT).toEqual({ "user-agent": `reprise/${version}` });
});
