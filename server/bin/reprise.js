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
  const main = existsSync(source) ? source : new URL("../dist/main.js", import.meta.url);
  resolveByName(main);
  await import(main.href);
} else {
  console.error(
    `reprise needs Node 22.18 or newer, and this is Node ${process.versions.node}: install a newer one.`,
  );
  process.exitCode = 1;
}

/**
 * Turns the names of modules into addresses where no look at the disk is needed: our own (`#store/runs`), and relative
 * ones with their ending. Node looks at folders and package files for each of 2,000 imports of `reprise run`, which is a
 * sixth of the processor time that the whole command takes.
 */
function resolveByName(main) {
  const base = new URL(".", main).href;
  const ending = path.extname(main.pathname);
  nodeModule.registerHooks?.({
    resolve(name, context, next) {
      const { parentURL = "", conditions } = context;
      if (name.startsWith("#") && parentURL.startsWith(base)) {
        return { url: `${base}${name.slice(1)}${ending}`, shortCircuit: true };
      }
      // Node 22 has a set here, Node 24 a list.
      if (/^\.\.?\/.*\.js$/.test(name) && [...conditions].includes("import")) {
        return { url: new URL(name, parentURL).href, shortCircuit: true };
      }
      return next(name, context);
    },
  });
}

/** A relative $XDG_CACHE_HOME is ignored, as the XDG specification asks. */
function cacheHome() {
  const { XDG_CACHE_HOME: xdg = "" } = process.env;
  return path.isAbsolute(xdg) ? xdg : path.join(os.homedir(), ".cache");
}
