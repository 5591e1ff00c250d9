import { spawnSync } from "node:child_process";

/** True if this machine has bubblewrap. CI installs bubblewrap: in CI, a skipped test counts as failed. */
export const HAS_BUBBLEWRAP = spawnSync("bwrap", ["--version"]).status === 0;

/** Why a test in the sandbox is skipped. */
export const NO_BUBBLEWRAP = HAS_BUBBLEWRAP ? undefined : "it needs bubblewrap: apt-get install bubblewrap";
