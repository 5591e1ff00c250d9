#!/usr/bin/env -S node --v8-pool-size=2 --max-semi-space-size=4 --initial-old-space-size=256
// The command of the published package. Plain JavaScript that looks at Node before it loads anything: on an older Node
// the database's native module would end the process without a word.
import { existsSync } from "node:fs";
import * as nodeModule from "node:module";
import os from "node:os";
import path from "node:path";

const [major, minor] = process.versions.node.split(".").map(Number);

if (major > 22 || (major === 22 && minor >= 18)) {
  // What has been compiled once is not compiled again: that is half of the time that a short command takes. In a folder
  // that nobody else may write; where there is none, everything works as well.
  nodeModule.enableCompileCache(path.join(cacheHome(), "reprise", "compiled"));
  const source = new URL("../src/main.ts", import.meta.url);
  await import(existsSync(source) ? source.href : new URL("../dist/main.js", import.meta.url).href);
} else {
  console.error(
    `reprise needs Node 22.18 or newer, and this is Node ${process.versions.node}: install a newer one.`,
  );
  process.exitCode = 1;
}

/** A relative $XDG_CACHE_HOME is ignored, as the XDG specification asks. */
function cacheHome() {
  const { XDG_CACHE_HOME: xdg = "" } = process.env;
  return path.isAbsolute(xdg) ? xdg : path.join(os.homedir(), ".cache");
}
