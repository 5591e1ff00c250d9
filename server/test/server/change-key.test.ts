import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { backUp, restore } from "#app/backup";
import { type OpenedData, openData } from "#app/data-folder";
import { changeSecretKey } from "#app/secret-key";
import { readConfig } from "#config/read";
import { createUser } from "#operations/users/create-user";
import { findUsers } from "#operations/users/find-users";
import { systemClock } from "#plumbing/clock";
import { dataFolderPaths } from "#plumbing/files/data-folder";
import { systemRandom } from "#plumbing/ids";
import { createSeal } from "#plumbing/secrets/seal";
import { sealedValues } from "#store/database/sealed-values";
import { openSqlite } from "#store/dialects/sqlite";
import { temporaryFolder } from "../support/real-server.ts";

/** The change of a data folder's key, and the data that must stay unchanged. */
let folder: string;
let remove: () => Promise<void>;
const VERSION = "1.2.3";
const configOf = (name: string) =>
  readConfig({}, { dataFolder: path.join(folder, name), port: "0", sampleRun: false, logTo: "file" });
const data = () => dataFolderPaths(path.join(folder, "data"));
const keyOf = (file: string) => Buffer.from(readFileSync(file, "utf8").trim(), "base64");

beforeEach(async () => {
  ({ folder, remove } = await temporaryFolder());
});
afterEach(() => remove());

/** Holds a data folder, as a server does, while `work` is under way. */
async function held<Result>(work: (opened: OpenedData) => Promise<Result>, name = "data"): Promise<Result> {
  const opened = await openData(configOf(name), { onDatabaseError: () => undefined });
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

const contextOf = ({ db, tokenSeal }: OpenedData) => ({
  db,
  tokenSeal,
  clock: systemClock,
  random: systemRandom,
});

async function stored(): Promise<string[]> {
  const db = openSqlite(data().database, "normal");
  const values: string[] = [];
  for await (const value of sealedValues(db)) values.push(value);
  await db.destroy();
  return values;
}

/** Adds users, and returns the token of the last one. */
async function fill(): Promise<string> {
  return held(async (opened) => {
    await createUser(contextOf(opened), { email: "bob@example.org", token: undefined });
    const ada = await createUser(contextOf(opened), { email: "ada@example.org", token: undefined });
    return ada.accessToken;
  });
}

/** Expects that the next server of the folder can show the token of the user. */
async function expectAllThere(token: string, name = "data"): Promise<void> {
  await held(async (opened) => {
    const wanted = { id: undefined, email: "ada@example.org", token: undefined };
    expect(await findUsers(contextOf(opened), wanted)).toMatchObject([{ accessToken: token }]);
  }, name);
}

describe("a change of the key", () => {
  test("seals all values again, and leaves none that the old key opens, in no file", async () => {
    const token = await fill();
    const [before, oldKey] = [await stored(), keyOf(data().secretKey)];
    expect(await changeSecretKey(configOf("data"))).toEqual({ values: before.length });
    const [after, newKey] = [await stored(), keyOf(data().secretKey)];
    expect([newKey.equals(oldKey), existsSync(data().nextSecretKey)]).toEqual([false, false]);
    expect(after).toHaveLength(before.length);
    for (const value of after) {
      expect(() => createSeal(oldKey, systemRandom).open(value)).toThrow("cannot be read");
      createSeal(newKey, systemRandom).open(value);
    }
    const files = readdirSync(data().folder, { withFileTypes: true }).filter((entry) => entry.isFile());
    const bytes = files.map(({ name }) => readFileSync(path.join(data().folder, name), "latin1")).join("");
    expect(before.filter((value) => bytes.includes(value))).toEqual([]);
    await expectAllThere(token);
    expect(readFileSync(data().audit, "utf8")).toContain('"action":"change-key"');
  });

  test("is refused while a server runs, and without a key", async () => {
    await expect(changeSecretKey(configOf("data"))).rejects.toThrow("There is no key to change");
    await held(async () => {
      const key = readFileSync(data().secretKey);
      await expect(changeSecretKey(configOf("data"))).rejects.toThrow("in use by another Reprise process");
      expect(readFileSync(data().secretKey)).toEqual(key);
    });
  });

  test("changes nothing if the key does not belong to the database", async () => {
    await fill();
    const before = await stored();
    writeFileSync(data().secretKey, `${Buffer.alloc(32, 1).toString("base64")}\n`);
    await expect(changeSecretKey(configOf("data"))).rejects.toThrow(
      "the database and its key belong together",
    );
    expect([existsSync(data().nextSecretKey), await stored()]).toEqual([false, before]);
    expect(keyOf(data().secretKey)).toEqual(Buffer.alloc(32, 1));
  });
});

describe("a backup", () => {
  test("is refused while a change of the key is not complete, and the next start completes it", async () => {
    const token = await fill();
    writeFileSync(data().nextSecretKey, `${Buffer.alloc(32, 2).toString("base64")}\n`);
    const target = path.join(folder, "backup");
    await expect(backUp(configOf("data"), VERSION, target)).rejects.toThrow("start the server");
    await expectAllThere(token);
    expect([keyOf(data().secretKey), existsSync(data().nextSecretKey)]).toEqual([Buffer.alloc(32, 2), false]);
    await backUp(configOf("data"), VERSION, target);
    await changeSecretKey(configOf("data"));
    await restore(configOf("copy"), VERSION, target);
    await expectAllThere(token, "copy");
  });
});
