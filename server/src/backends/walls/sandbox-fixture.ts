import { spawnSync } from "node:child_process";

/** True if this machine has the program. CI installs it: there, a skipped test counts as failed. */
export const HAS_BUBBLEWRAP = spawnSync("bwrap", ["--version"]).status === 0;
