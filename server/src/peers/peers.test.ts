import { once } from "node:events";
import { createServer, type Server } from "node:http";
import net, { type AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { listenForPeers, type PeerListener } from "#peers/peer-listener";
import { openPeers, type Peers } from "#peers/peers";
import { Refusal } from "#plumbing/errors";
import { systemRandom } from "#plumbing/ids";
import { createSeal, type Seal } from "#plumbing/secrets/seal";
import { declareHostLost, registerHost } from "#store/hosts/hosts";
import { storeFixture } from "#store/store-fixture";
import { DIALECTS } from "#store/store-suite";

const store = storeFixture(DIALECTS[0]!);
const seal = sealOf(1);
let listener: PeerListener;
let peers: Peers;
let echo: Server;
let refused: string[];

beforeEach(async () => {
  refused = [];
  echo = createServer((request, response) => response.end(`echo ${request.url}`));
  echo.listen(0, "127.0.0.1");
  await once(echo, "listening");
  listener = await listenForPeers(
    {
      hostId: "there",
      seal,
      answers: {
        sum: async (...numbers: number[]) => numbers.reduce((sum, one) => sum + one, 0),
        refuse: () => Promise.reject(new Refusal("absent", "There is no such thing.")),
        fail: () => Promise.reject(new Error("the disk is gone")),
        never: () => new Promise(() => undefined),
      },
      log: { warn: (_, message) => void refused.push(message) },
    },
    { host: "127.0.0.1", port: 0 },
  );
  listener.answer({
    answers: {},
    connections: { echo: async () => net.connect((echo.address() as AddressInfo).port, "127.0.0.1") },
  });
  peers = openPeers({ db: store.db, seal, random: systemRandom });
  await registerHost(store.db, { id: "there", name: "node7", address: listener.address });
});
afterEach(async () => {
  peers.close();
  await listener.close();
  echo.close();
});

function sealOf(byte: number): Seal {
  return createSeal(Buffer.alloc(32, byte), systemRandom);
}

test("a server answers another one, and refuses as it would refuse a user", async () => {
  expect(await peers.ask("there", "sum", 1, 2, 3)).toBe(6);
  await expect(peers.ask("there", "refuse")).rejects.toMatchObject({
    kind: "absent",
    message: "There is no such thing.",
  });
});

test.each([
  [
    "fail",
    /^The server of the host node7 \(there\) does not answer at 127\.0\.0\.1:\d+ \(the disk is gone\)\. It was last/,
  ],
  ["never", /no answer within 2 s/],
  ["unheard-of", /it does not know the question unheard-of: it is starting, or its version is another/],
  ["constructor", /it does not know the question constructor/],
])("a question without an answer, %s, is unavailable with the name of the host", async (about, sentence) => {
  await expect(peers.ask("there", about)).rejects.toMatchObject({
    kind: "unavailable",
    message: expect.stringMatching(sentence),
  });
});

test("a host that is silent, has signed off, or is not known is not asked", async () => {
  const hosts = store.db.updateTable("hosts");
  await hosts.set({ seen_at: 1_700_000_000_000 }).execute();
  const silent = "The host node7 (there) has been silent since 2023-11-14 22:13:20 UTC.";
  await expect(peers.ask("there", "sum", 1)).rejects.toThrow(silent);
  await hosts.set({ seen_at: 0 }).execute();
  await expect(peers.ask("there", "sum", 1)).rejects.toThrow(
    "The server of the host node7 (there) has been stopped.",
  );
  await declareHostLost(store.db, "there");
  await expect(peers.ask("there", "sum", 1)).rejects.toMatchObject({ kind: "unavailable" });
  await expect(peers.ask("nowhere", "sum", 1)).rejects.toThrow(
    "The host nowhere has left this database for good.",
  );
  await registerHost(store.db, { id: "new", name: "node8" });
  await expect(peers.ask("new", "sum", 1)).rejects.toThrow(
    "node8 (new) is starting, or has no address for others.",
  );
});

test("a request that was sealed with another key, or not at all, gets 403", async () => {
  const post = (body: string) => fetch(`http://${listener.address}/`, { method: "POST", body });
  const question = JSON.stringify({ to: "there", nonce: "n", about: "sum", details: [1] });
  for (const body of ["", question, sealOf(2).seal(question), "x".repeat(2 ** 21)])
    expect((await post(body)).status).toBe(403);
  expect((await fetch(`http://${listener.address}/`)).status).toBe(403);
  expect(refused).toHaveLength(5);
  const reply = await post(seal.seal(question));
  expect(JSON.parse(seal.open(await reply.text()))).toEqual({ nonce: "n", value: 1 });
});

test("an address that belongs to another host now, or to another program, is unavailable", async () => {
  await registerHost(store.db, { id: "moved", name: "node9", address: listener.address });
  await expect(peers.ask("moved", "sum", 1)).rejects.toThrow(
    /node9 \(moved\) does not answer .*this is the host there/,
  );
  const { port } = echo.address() as AddressInfo;
  await registerHost(store.db, { id: "echo", name: "node9", address: `127.0.0.1:${port}` });
  await expect(peers.ask("echo", "sum", 1)).rejects.toMatchObject({ kind: "unavailable" });
});

test("an answer to an earlier question is not taken for this one", async () => {
  const old = seal.seal(JSON.stringify({ nonce: "of another question", value: 6 }));
  const replay = createServer((_, response) => response.end(old));
  replay.listen(0, "127.0.0.1");
  await once(replay, "listening");
  const { port } = replay.address() as AddressInfo;
  await registerHost(store.db, { id: "there", name: "node7", address: `127.0.0.1:${port}` });
  await expect(peers.ask("there", "sum", 1)).rejects.toThrow("The answer belongs to another question.");
  replay.close();
  replay.closeAllConnections();
});

test("a connection passes bytes on, and only for another server", async () => {
  const socket = await peers.connect("there", "echo");
  socket.write("GET /hello HTTP/1.1\r\nhost: there\r\nconnection: close\r\n\r\n");
  let printed = "";
  for await (const part of socket) printed += String(part);
  expect(printed).toContain("echo /hello");
  await expect(peers.connect("there", "unheard-of")).rejects.toMatchObject({ kind: "unavailable" });
  const foreign = openPeers({ db: store.db, seal: sealOf(2), random: systemRandom });
  await expect(foreign.connect("there", "echo")).rejects.toThrow("it answers with status 403");
  foreign.close();
});
