import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { NO_BUBBLEWRAP } from "#backends/walls/sandbox-fixture";
import { systemView } from "#backends/walls/system-view";
import { describeUnless } from "#plumbing/needs-suite";

describeUnless(NO_BUBBLEWRAP)("the system that a job sees", () => {
  let etc: string;
  let elapsedMs: number;
  let words: () => readonly string[];

  beforeEach(() => {
    etc = mkdtempSync(path.join(os.tmpdir(), "reprise-etc-"));
    chmodSync(etc, 0o755);
    for (const name of ["ssl", "ssl/private", "app"]) mkdirSync(inEtc(name));
    chmodSync(inEtc("ssl/private"), 0o700);
    write("hosts", 0o644);
    write("shadow", 0o600);
    elapsedMs = 0;
    words = systemView({ etc, clock: { elapsedMs: () => elapsedMs } });
    words();
  });
  afterEach(() => rmSync(etc, { recursive: true, force: true }));

  const inEtc = (name: string) => path.join(etc, name);

  function write(name: string, mode: number): void {
    writeFileSync(inEtc(name), `of ${name}\n`, { mode });
  }

  /**
   * Changes a folder, and makes sure that its time differs: the kernel's clock ticks every few milliseconds.
   */
  function change(folder: string, make: () => void): void {
    const { ctimeMs } = statSync(folder);
    make();
    while (statSync(folder).ctimeMs === ctimeMs) utimesSync(folder, 0, 0);
  }

  /** Runs a command in the folder, in the sandbox. Returns the output. */
  function printed(script: string): string {
    const argv = [
      "--unshare-user",
      "--cap-drop",
      "ALL",
      ...words(),
      "--chdir",
      etc,
      "--",
      "sh",
      "-c",
      script,
    ];
    const { error, stdout } = spawnSync("bwrap", argv, { encoding: "utf8" });
    if (error) throw error;
    return stdout;
  }

  test("a private file is hidden", () => {
    expect(printed("cat hosts shadow; echo end")).toBe("of hosts\nend\n");
  });

  test("a private file that appears later is hidden at once beside others, and after some seconds anywhere", () => {
    change(etc, () => write("new-key", 0o600));
    write("app/key", 0o600);
    chmodSync(inEtc("hosts"), 0o600);
    expect(printed("cat new-key hosts app/key; echo end")).toBe("end\n");
    write("app/second-key", 0o600);
    elapsedMs += 5000;
    expect(printed("cat app/second-key; echo end")).toBe("end\n");
  });

  test("jobs still run after a hidden file or folder has gone", () => {
    change(etc, () => rmSync(inEtc("shadow")));
    expect(printed("echo ran")).toBe("ran\n");
    rmSync(inEtc("ssl"), { recursive: true });
    expect(printed("echo ran")).toBe("ran\n");
  });

  test("a file that everybody may read later is shown", () => {
    chmodSync(inEtc("shadow"), 0o644);
    elapsedMs += 5000;
    expect(printed("cat shadow")).toBe("of shadow\n");
  });

  test("the same words serve until something has changed", () => {
    const before = words();
    elapsedMs += 4999;
    expect(words()).toBe(before);
  });
});
