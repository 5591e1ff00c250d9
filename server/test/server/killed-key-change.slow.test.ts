import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { startApp } from "#app/start";
import { readConfig } from "#config/read";
import { type CrashPoint, KEY_CRASH_POINTS } from "#plumbing/crash-points";
import { dataFolderPaths } from "#plumbing/files/data-folder";
import { makeDatabase } from "#store/dialects/postgres-databases-suite";
import { hasPostgres } from "#store/dialects/postgres-server-suite";
import { command } from "../support/command.ts";
import { client, temporaryFolder } from "../support/real-server.ts";

const POINTS = ["secret-written", "secret-renamed", ...Object.keys(KEY_CRASH_POINTS)] as CrashPoint[];
const DATABASES = ["SQLite", ...(hasPostgres() ? ["PostgreSQL"] : [])];

/** Kills `reprise admin change-key` at each of its steps. The next start completes the change. */
test.each(DATABASES)("%s: a killed change of the key loses no token and no secret", async (database) => {
  const { folder, remove } = await temporaryFolder();
  const environment: Record<string, string> =
    database === "SQLite" ? {} : { REPRISE_DATABASE: await makeDatabase("template1") };
  const config = readConfig(environment, { dataFolder: folder, port: "0", sampleRun: false, logTo: "file" });
  const data = dataFolderPaths(folder);
  /** Returns the tokens in the administrator's list, which are sealed in the database. */
  const tokens = async () => {
    const app = await startApp(config, "1.2.3");
    const api = client(app.url, app.adminToken);
    await api.call("POST", "users", undefined, "&email=ada@example.org");
    const { body } = await api.call("GET", "users");
    await app.close();
    return JSON.stringify(body);
  };
  const change = (more: Record<string, string> = {}) =>
    command(["admin", "change-key", "--data", folder], { environment: { ...environment, ...more } });
  const before = await tokens();
  expect(before).toContain("ada@example.org");
  for (const point of POINTS) {
    const killed = change({ CRASH_AT: `${point}:1` });
    expect(await killed.ended, `${point} ${killed.stderr()}`).toBe("SIGKILL");
    expect(await tokens(), point).toBe(before);
    expect(existsSync(data.nextSecretKey), point).toBe(false);
  }
  // A second change also completes the first change.
  const killed = change({ CRASH_AT: "values-sealed-again:1" });
  expect(await killed.ended).toBe("SIGKILL");
  const whole = change();
  expect(await whole.ended, whole.stderr()).toBe(0);
  expect(whole.stdout()).toMatch(/^The key of .* was changed: the new one encrypts \d+ stored values\. /);
  expect(await tokens()).toBe(before);
  await remove();
});
