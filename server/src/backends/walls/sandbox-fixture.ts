import { spawnSync } from "node:child_process";

/** True if this machine has bubblewrap. CI installs bubblewrap: in CI, a skipped test counts as failed. */
export const HAS_BUBBLEWRAP = spawnSync("bwrap", ["--version"]).status === 0;
