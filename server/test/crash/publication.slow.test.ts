import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { type CrashPoint, PUBLICATION_CRASH_POINTS } from "#plumbing/crash-points";
import { openFakeInvenio } from "../support/fakes/fake-invenio.ts";
import { client, type EndedEarly, startRealServer, temporaryFolder } from "../support/real-server.ts";

const [FIRST, ...LATER] = Object.keys(PUBLICATION_CRASH_POINTS) as CrashPoint[];

/** The deposits are on a stand-in of InvenioRDM, which was written from the documentation. */
test("a server killed at each step of a publication in turn leaves one draft, and the last server completes the draft", async () => {
  const invenio = await openFakeInvenio();
  const { folder, remove } = await temporaryFolder();
  const start = (more: Record<string, string> = {}) =>
    startRealServer(folder, { REPRISE_DEPOSIT_PRIVATE_HOSTS: invenio.host, ...more });
  const killedAt = async (point: CrashPoint, act: (url: string) => Promise<unknown>) => {
    const exit = await start({ CRASH_AT: `${point}:1` }).then(
      async ({ url, exited }) => {
        await act(url);
        return exited;
      },
      (error: EndedEarly) => error.exit,
    );
    expect([point, exit.signal]).toEqual([point, "SIGKILL"]);
  };

  const first = await start();
  const ada = client(first.url);
  const run = await ada.create(["echo 42 > out.txt"]);
  await ada.setStatus(run, "start");
  await ada.ended(run);
  const token = { type: "env", value: Buffer.from(invenio.token).toString("base64") };
  expect((await ada.call("POST", "secrets", JSON.stringify({ DEPOSIT_TOKEN: token }))).status).toBe(201);
  await first.stop();

  const creators = [{ name: "Lovelace, Ada" }];
  const wanted = JSON.stringify({ to: invenio.url, secret: "DEPOSIT_TOKEN", creators, submit: true });
  await killedAt(FIRST!, (url) =>
    expect(client(url).call("POST", `workflows/${run}/publication`, wanted)).rejects.toThrow("fetch failed"),
  );
  for (const point of LATER) await killedAt(point, () => Promise.resolve());

  const last = await start();
  const publication = async () => (await client(last.url).call("GET", `workflows/${run}/publication`)).body;
  while ((await publication())["state"] === "sending")
    await new Promise((resolve) => setTimeout(resolve, 50));
  const [deposit, ...others] = invenio.deposits.values();
  expect(others).toEqual([]);
  expect(await publication()).toMatchObject({ state: "published", doi: deposit!.doi, problem: null });
  expect([...deposit!.files.values()].map(({ isCommitted }) => isCommitted)).toEqual([true]);
  const count = (what: string) => invenio.asked.filter((one) => one === what).length;
  expect([count("POST /records"), count("POST /records/ID/draft/actions/publish")]).toEqual([1, 1]);
  expect(await readdir(path.join(folder, "deposits"))).toEqual([]);
  await last.stop();
  for (const log of ["server.log", "audit.log"])
    expect((await readFile(path.join(folder, "logs", log), "utf8")).includes(invenio.token)).toBe(false);
  await invenio.close();
  await remove();
});
