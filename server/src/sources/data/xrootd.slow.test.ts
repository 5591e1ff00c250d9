import process from "node:process";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { systemClock } from "#plumbing/clock";
import { describeUnless } from "#plumbing/needs-suite";
import { openDataSource } from "#sources/data/open-data";
import { NO_XROOTD, startXrootd, type Xrootd } from "#sources/data/xrootd-fixture";
import type { DataAnswer } from "#workflow/data-source";

describeUnless(NO_XROOTD)("an input on a server of XRootD", () => {
  let server: Xrootd;
  beforeAll(async () => void (server = await startXrootd()));
  afterAll(() => server.close());

  function ask(address: string, knownAs?: string, privateHosts = [server.host]): Promise<DataAnswer> {
    const source = openDataSource({ httpHosts: [], privateHosts, clock: systemClock } as never);
    const { signal } = new AbortController();
    return source.ask({ input: { address }, secret: undefined, signal, knownAs });
  }

  async function bytesOf(answer: DataAnswer): Promise<string> {
    if (answer.kind !== "content") throw new Error(answer.kind);
    const all: Uint8Array[] = [];
    for await (const chunk of answer.chunks) all.push(chunk);
    return Buffer.concat(all).toString();
  }

  test("arrives whole, and is not sent again while its checksum stays", async () => {
    const content = "0123456789".repeat(300_000);
    server.put("events.root", content);
    const answer = await ask(server.address("events.root"));
    expect(answer).toMatchObject({ kind: "content", from: 0, bytes: content.length });
    expect((await bytesOf(answer)) === content).toBe(true);
    const { validator } = answer as Extract<DataAnswer, { kind: "content" }>;
    expect(validator).toMatch(/^adler32:[0-9a-f]{8}:3000000$/);
    expect(await ask(server.address("events.root"), validator)).toEqual({ kind: "unchanged" });
    server.put("events.root", "other");
    expect(await bytesOf(await ask(server.address("events.root"), validator))).toBe("other");
  });

  test("that is absent is refused with the words of the server", async () => {
    await expect(ask(server.address("none.root"))).rejects.toThrow(
      /^root:\/\/127.+none\.root could not be fetched: .*no such file or directory\.$/i,
    );
  });

  test("on a private host is refused without the setting", async () => {
    await expect(ask(server.address("a"), undefined, [])).rejects.toThrow("--data-private-hosts");
  });

  test("is refused by name on a machine without xrdcp", async () => {
    const { PATH } = process.env;
    process.env["PATH"] = "/nonexistent";
    onTestFinished(() => void (process.env["PATH"] = PATH));
    await expect(ask(server.address("events.root"))).rejects.toThrow("apt install xrootd-client");
  });

  test("on a host that does not answer is tried again later", async () => {
    await expect(ask("root://127.0.0.1:1//a", undefined, ["127.0.0.1"])).rejects.toThrow(
      /^root:\/\/127\.0\.0\.1:1\/\/a could not be fetched: /,
    );
  });
});
