#!/usr/bin/env -S node --v8-pool-size=2 --max-semi-space-size=4 --initial-old-space-size=256
// The command of the published package. Plain JavaScript that checks the Node version before it loads anything: on an
// older Node the database's native module would end the process without a message.
import { existsSync } from "node:fs";
import * as nodeModule from "node:module";
import os from "node:os";
import path from "node:path";

const [major, minor] = process.versions.node.split(".").map(Number);

if (major > 22 || (major === 22 && minor >= 18)) {
  // Reuse compiled code: compiling is half of the time that a short command takes. The cache is in a folder that no
  // other user can write to; without one, everything still works.
  const cache = maybeCacheHome();
  if (cache !== undefined) nodeModule.enableCompileCache(path.join(cache, "reprise", "compiled"));
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
 * Resolves module names without looking at the disk where possible: those of Node itself, our own (`#store/runs/runs`),
 * and relative ones with an extension. Node checks folders and package files for each of the 2,000 imports of
 * `reprise run`, which is a sixth of the processor time of the whole command.
 */
function resolveByName(main) {
  const base = new URL(".", main).href;
  const ending = path.extname(main.pathname);
  nodeModule.registerHooks?.({
    resolve(name, context, next) {
      if (name.startsWith("node:")) return { url: name, shortCircuit: true };
      const { parentURL = "", conditions } = context;
      if (name.startsWith("#") && parentURL.startsWith(base)) {
        return { url: `${base}${name.slice(1)}${ending}`, shortCircuit: true };
      }
      // A set in Node 22, a list in Node 24.
      if (/^\.\.?\/.*\.js$/.test(name) && [...conditions].includes("import")) {
        return { url: new URL(name, parentURL).href, shortCircuit: true };
      }
      return next(name, context);
    },
  });
}

/**
 * Returns the user's cache directory. A relative $XDG_CACHE_HOME is ignored, as the XDG specification requires.
 * Undefined for a user without a home: without $HOME, and without an entry in the machine's list of users.
 */
function maybeCacheHome() {
  const { XDG_CACHE_HOME: xdg = "" } = process.env;
  if (path.isAbsolute(xdg)) return xdg;
  try {
    return path.join(os.homedir(), ".cache");
  } catch {
    return undefined;
  }
}
