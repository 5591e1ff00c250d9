#!/usr/bin/env -S node --max-semi-space-size=4
// The command of the published package. Plain JavaScript that looks at Node before it loads anything: on an older Node
// the database's native module would end the process without a word.
import { existsSync } from "node:fs";

const [major, minor] = process.versions.node.split(".").map(Number);

if (major > 22 || (major === 22 && minor >= 18)) {
  const source = new URL("../src/main.ts", import.meta.url);
  await import(existsSync(source) ? source.href : new URL("../dist/main.js", import.meta.url).href);
} else {
  console.error(
    `reprise needs Node 22.18 or newer, and this is Node ${process.versions.node}: install a newer one.`,
  );
  process.exitCode = 1;
}
