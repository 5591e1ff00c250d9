import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { mkdir, readdir, readFile, readlink, stat, symlink, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { jobExporter } from "#app/backup";
import { type App, startApp } from "#app/start";
import { checkBackup } from "#backup/check-backup";
import { type BackupStep, makeBackup } from "#backup/make-backup";
import { restoreBackup } from "#backup/restore-backup";
import { readConfig } from "#config/read";
import type { Config } from "#config/settings";
import { systemClock } from "#plumbing/clock";
import { dataFolderPaths } from "#plumbing/files/data-folder";
import { systemRandom } from "#plumbing/ids";
import type { Connection } from "#store/database/database";
import { openSqlite } from "#store/dialects/sqlite";
import { client, temporaryFolder } from "../support/real-server.ts";

/** The content of a copy when something happens between two steps of its making. */
describe("a backup", () => {
  let folder: string;
  let remove: () => Promise<void>;
  let config: Config;
  let app: App;
  let db: Connection;
  const copies: App[] = [];

  const place = (name: string) => path.join(folder, name);
  const configOf = (name: string) =>
    readConfig({}, { dataFolder: place(name), port: "0", sampleRun: false, logTo: "file" });
  const api = (one = app) => client(one.url, one.adminToken);

  beforeEach(async () => {
    ({ folder, remove } = await temporaryFolder());
    config = configOf("data");
    app = await startApp(config, "1.2.3");
    db = openSqlite(dataFolderPaths(config.dataFolder).database, "normal");
  });

  afterEach(async () => {
    for (const one of [app, ...copies.splice(0)]) await one.close({ stopJobs: true });
    await db.destroy();
    await remove();
  });

  const backUp = (onStep: (step: BackupStep) => Promise<void> = async () => undefined, target = "backup") => {
    const data = dataFolderPaths(config.dataFolder);
    const exportJob = jobExporter(data);
    const how = { version: "1.2.3", clock: systemClock, exportJob, onStep };
    return makeBackup({ db, database: "SQLite", data, target: place(target), ...how });
  };

  const restore = (version = "1.2.3", dataFolder = place("copy"), source = place("backup")) =>
    restoreBackup({
      source,
      dataFolder,
      version,
      clock: systemClock,
      random: systemRandom,
      openDatabase: async (file) => openSqlite(file, "normal"),
    });

  async function startCopy(): Promise<App> {
    await restore();
    const copy = await startApp(configOf("copy"), "1.2.3");
    copies.push(copy);
    return copy;
  }

  const workspaceOf = async (run: string) => {
    const row = await db
      .selectFrom("runs")
      .select("workspace_id")
      .where("id", "=", run)
      .executeTakeFirstOrThrow();
    return path.join(dataFolderPaths(config.dataFolder).workspaces, row.workspace_id);
  };

  /** Returns a command that waits for a file `go-NAME`. */
  const gated = (name: string) => `until [ -e go-${name} ]; do sleep 0.01; done; echo ${name} > out-${name}`;
  const letGo = async (run: string, name: string) =>
    writeFile(path.join(await workspaceOf(run), `go-${name}`), "");

  /** Starts a run of two commands, the first of which waits. */
  async function runOfTwo(): Promise<string> {
    const run = await api().create([gated("one"), gated("two")]);
    await api().setStatus(run, "start");
    await jobsAre(run, ["running"]);
    return run;
  }

  async function jobsAre(run: string, statuses: readonly string[]): Promise<void> {
    const look = async () => {
      const jobs = await db
        .selectFrom("jobs")
        .selectAll()
        .where("run_id", "=", run)
        .orderBy("ordinal")
        .execute();
      return jobs.map(({ status }) => status);
    };
    await expect.poll(look).toEqual(statuses);
  }

  const outcome = async (copy: App, run: string) => {
    const { status } = await api(copy).ended(run);
    const { body } = await api(copy).call("GET", `workflows/${run}/jobs`);
    const jobs = (body["items"] as { status: string; reason: string }[]).map(
      (job) => `${job.status} (${job.reason})`,
    );
    return { status, jobs };
  };

  test("is ended if the key is changed after the rows were copied", async () => {
    const { secretKey, nextSecretKey } = dataFolderPaths(config.dataFolder);
    const change = async (step: BackupStep) => {
      if (step === "rows") writeFileSync(secretKey, Buffer.alloc(32, 1).toString("base64"));
    };
    await expect(backUp(change)).rejects.toThrow("the key of the data folder was changed at the same time");
    const begin = async (step: BackupStep) => {
      if (step === "rows") writeFileSync(nextSecretKey, Buffer.alloc(32, 1).toString("base64"));
    };
    await expect(backUp(begin)).rejects.toThrow("a change of the key is under way");
    expect(existsSync(place("backup"))).toBe(false);
  });

  test("of a job that had ended before the look has the end and the files; the next job is lost", async () => {
    const run = await runOfTwo();
    await backUp(async (step) => {
      if (step !== "rows") return;
      await letGo(run, "one");
      await jobsAre(run, ["finished", "running"]);
    });
    const copy = await startCopy();
    expect(await outcome(copy, run)).toEqual({
      status: "failed",
      jobs: ["finished (exited)", "failed (lost)"],
    });
    expect(await api(copy).download(run, "out-one")).toEqual({ status: 200, text: "one\n" });
    // The restore did not affect the original.
    await letGo(run, "two");
    expect((await api().ended(run))["status"]).toBe("finished");
  });

  const AFTER_A_LOOK: readonly BackupStep[] = ["jobs", "workspaces"];
  test.each(AFTER_A_LOOK)("a job that ended after the %s were copied is lost", async (moment) => {
    const run = await runOfTwo();
    await backUp(async (step) => {
      if (step !== moment) return;
      await letGo(run, "one");
      await jobsAre(run, ["finished", "running"]);
    });
    const copy = await startCopy();
    expect(await outcome(copy, run)).toEqual({ status: "failed", jobs: ["failed (lost)"] });
    await letGo(run, "two");
    expect((await api().ended(run))["status"]).toBe("finished");
  });

  test("a job that began and ended while the backup was made is not run by the copy", async () => {
    const run = await runOfTwo();
    await backUp(async (step) => {
      if (step === "rows") await letGo(run, "one");
      if (step === "rows") await jobsAre(run, ["finished", "running"]);
      if (step === "workspaces") await letGo(run, "two");
      if (step === "workspaces") await api().ended(run);
    });
    expect(await outcome(await startCopy(), run)).toEqual({
      status: "failed",
      jobs: ["finished (exited)", "failed (lost)"],
    });
  });

  test("a run that was deleted in the meantime is deleted in the copy, and its files are gone", async () => {
    const run = await api().create(["echo done"]);
    await api().upload(run, "a.txt", "a");
    await api().setStatus(run, "start");
    await api().ended(run);
    await backUp(async (step) => {
      if (step === "workspaces") await api().setStatus(run, "deleted");
    });
    const copy = await startCopy();
    expect(await api(copy).status(run)).toMatchObject({ status: "deleted" });
    expect(await readdir(dataFolderPaths(place("copy")).workspaces)).toEqual([]);
  });

  test("holds files as they are: links, empty folders, permissions, times, odd names", async () => {
    const run = await api().create(["true"]);
    const odd = "a \u2028\n.txt";
    await api().upload(run, odd, "odd");
    const workspace = await workspaceOf(run);
    await mkdir(path.join(workspace, "empty"), { mode: 0o750 });
    await writeFile(path.join(workspace, "tool.sh"), "", { mode: 0o755 });
    await symlink("/etc/passwd", path.join(workspace, "link"));
    await utimes(path.join(workspace, "tool.sh"), 1000, 1000);
    await writeFile(dataFolderPaths(place("data")).privateImages, "quay.io/acme/x:1\n", { mode: 0o600 });
    await backUp();
    await restore();
    const copied = path.join(dataFolderPaths(place("copy")).workspaces, path.basename(workspace));
    expect((await readdir(copied)).toSorted()).toEqual([odd, "empty", "link", "tool.sh"].toSorted());
    expect(await readFile(path.join(copied, odd), "utf8")).toBe("odd");
    expect((await stat(path.join(copied, "empty"))).mode & 0o777).toBe(0o750);
    expect(await stat(path.join(copied, "tool.sh"))).toMatchObject({ mtimeMs: 1_000_000 });
    expect(await readlink(path.join(copied, "link"))).toBe("/etc/passwd");
    // No link in the backup leads outside the backup.
    expect(
      existsSync(path.join(place("backup"), "files", "workspaces", path.basename(workspace), "link")),
    ).toBe(false);
    const modes = await Promise.all(
      ["secret.key", "admin-token", "host-id", "private-images"].map((name) =>
        stat(path.join(place("copy"), name)),
      ),
    );
    expect(modes.map(({ mode }) => mode & 0o777)).toEqual([0o600, 0o600, 0o600, 0o600]);
  });

  test("restored is another host", async () => {
    await backUp();
    const copy = await startCopy();
    const hostId = (name: string) => readFile(dataFolderPaths(place(name)).hostId, "utf8");
    expect(await hostId("copy")).not.toBe(await hostId("data"));
    expect(copy.adminToken).toBe(app.adminToken);
  });

  test("is refused into a folder that is not empty or inside the data folder, and leaves nothing when it is cancelled", async () => {
    await mkdir(place("full"));
    await writeFile(path.join(place("full"), "x"), "");
    await expect(backUp(undefined, "full")).rejects.toThrow(
      `The backup was not made: ${place("full")} exists already. Name a new folder.`,
    );
    await expect(backUp(undefined, "data/backup")).rejects.toThrow("is inside the data folder.");
    await expect(backUp(undefined, "no/backup")).rejects.toThrow(
      `there is no folder ${place("no")} to put it in.`,
    );
    const full = Object.assign(new Error("write"), { code: "ENOSPC" });
    await expect(backUp(() => Promise.reject(full))).rejects.toThrow(
      `The backup was not made: the disk of ${place("backup")} is full. The incomplete copy was removed.`,
    );
    expect(await readdir(folder)).toEqual(["data", "full"]);
    await mkdir(place("backup.part"));
    await expect(backUp()).rejects.toThrow(
      `${place("backup.part")} exists. Another backup is being written to it`,
    );
  });

  test("that is damaged, newer or absent is refused, and so is a folder with contents", async () => {
    const run = await api().create(["true"]);
    await api().upload(run, "a.txt", "content");
    const manifestOfIt = await backUp();
    await checkBackup(place("backup"), manifestOfIt);
    const nothing = () => (existsSync(place("copy")) ? readdir(place("copy")) : []);
    for (const name of ["database/users.jsonl", "files.jsonl", "files/secret.key"]) {
      const file = path.join(place("backup"), name);
      const before = await readFile(file);
      appendFileSync(file, "\n");
      await expect(restore()).rejects.toThrow(
        `The backup ${place("backup")} is damaged: ${name} is not what was written. Nothing was restored. Take another one.`,
      );
      // A new backup is read back by the same code.
      await expect(checkBackup(place("backup"), manifestOfIt)).rejects.toThrow(`is damaged: ${name} is not`);
      writeFileSync(file, before);
      expect((await nothing()).filter((entry) => entry !== "lock.sqlite")).toEqual([]);
    }
    const manifest = path.join(place("backup"), "manifest.json");
    const text = await readFile(manifest, "utf8");
    writeFileSync(manifest, text.replace(/"0001-first-\w+"/, '"9999-newer"').replace('"1.2.3"', '"9.0.0"'));
    await expect(restore()).rejects.toThrow(
      `${place("backup")} was made by a newer version of Reprise (9.0.0; this is 1.2.3). Restore it with that version. Nothing was changed.`,
    );
    writeFileSync(manifest, text.replace(/"0001-first-\w+"/, '"0001-first"'));
    await expect(restore()).rejects.toThrow("was made by an unreleased version of Reprise");
    writeFileSync(manifest, text.slice(0, 100));
    await expect(restore()).rejects.toThrow("is damaged: manifest.json is not what was written");
    writeFileSync(manifest, text);
    await expect(restore("1.2.3", place("copy"), folder)).rejects.toThrow(`${folder} is no backup`);
    await writeFile(path.join(place("copy"), "mine"), "");
    await expect(restore()).rejects.toThrow(`the data folder ${place("copy")} is not empty (it holds mine).`);
  });

  test("can be restored into a home folder where our own commands have left files", async () => {
    await backUp();
    await mkdir(path.join(place("copy"), ".cache", "reprise"), { recursive: true });
    await restore();
    expect(await readdir(place("copy"))).toContain("secret.key");
  });

  test("that is being restored keeps servers off", async () => {
    await mkdir(path.join(place("copy"), "restoring"), { recursive: true });
    await expect(startApp(configOf("copy"), "1.2.3")).rejects.toThrow("a backup is being restored into it");
  });
});
