import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectionOf } from "#backends/kubernetes/api/connection";

const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-kubeconfig-"));
afterAll(() => rmSync(folder, { recursive: true }));

const base64 = (text: string) => Buffer.from(text).toString("base64");
let files = 0;
function written(text: string): string {
  const file = path.join(folder, `config-${(files += 1)}`);
  writeFileSync(file, text);
  return file;
}
const config = (user: string, more = "") => `apiVersion: v1
kind: Config
current-context: work
contexts:
- name: work
  context: {cluster: c, user: u, namespace: jobs}
clusters:
- name: c
  cluster:
    server: https://k8s.example:6443/prefix
    certificate-authority-data: ${base64("authority")}
    tls-server-name: api.example
users:
- name: u
  user: ${user}
${more}`;

describe("a file for kubectl", () => {
  test("gives the address, the authority and the namespace of the current context", () => {
    const connection = connectionOf({ kubeconfig: written(config("{token: secret}")) }, {});
    expect(connection).toMatchObject({
      server: new URL("https://k8s.example:6443/prefix"),
      namespace: "jobs",
      authority: Buffer.from("authority"),
      serverName: "api.example",
    });
    const other = connectionOf({ kubeconfig: written(config("{}")), namespace: "mine" }, {});
    expect(other.namespace).toBe("mine");
  });

  test("gives a token, a certificate, or a file that is read again", async () => {
    writeFileSync(path.join(folder, "token"), "first\n");
    const { credentials } = connectionOf({ kubeconfig: written(config("{tokenFile: token}")) }, {});
    expect(await credentials()).toMatchObject({ token: "first" });
    writeFileSync(path.join(folder, "token"), "second\n");
    expect(await credentials()).toMatchObject({ token: "second" });
    const user = `{client-certificate-data: ${base64("certificate")}, client-key-data: ${base64("key")}}`;
    const certified = connectionOf({ kubeconfig: written(config(user)) }, {});
    expect(await certified.credentials()).toMatchObject({
      certificate: Buffer.from("certificate"),
      key: Buffer.from("key"),
    });
  });

  test("asks a program, and again only after a refusal or the end of its credentials", async () => {
    const status = (until: string) =>
      JSON.stringify({ status: { token: "TOKEN", ...(until && { expirationTimestamp: until }) } });
    const program = (until: string) => {
      const name = `plugin-${(files += 1)}`;
      const script = `#!/bin/sh\necho run >> "${folder}/${name}.runs"\n[ "$KUBERNETES_EXEC_INFO" ] || exit 3\necho '${status(until)}' | sed "s/TOKEN/$(wc -l < "${folder}/${name}.runs")/"\n`;
      writeFileSync(path.join(folder, name), script, { mode: 0o755 });
      return connectionOf({ kubeconfig: written(config(`{exec: {command: ./${name}, args: [a]}}`)) }, {});
    };
    const kept = program("");
    expect((await kept.credentials()).token).toBe((await kept.credentials()).token);
    kept.forget!();
    expect((await kept.credentials()).token?.trim()).toBe("2");
    const expired = program("2020-01-01T00:00:00Z");
    await expired.credentials();
    expect((await expired.credentials()).token?.trim()).toBe("2");
  });

  test.each([
    ["apiVersion: v1", "has no current-context"],
    ["current-context: x", 'names the context "x", and describes no such context'],
    [config("{}").replace("https://k8s.example:6443/prefix", "k8s.example"), "it must begin with https://"],
    [config("{exec: {command: /nowhere/plugin}}"), undefined],
  ])("%j is refused with a sentence", async (text, sentence) => {
    if (sentence === undefined) {
      const { credentials } = connectionOf({ kubeconfig: written(text) }, {});
      await expect(credentials()).rejects.toThrow("the program /nowhere/plugin gave no credentials");
    } else expect(() => connectionOf({ kubeconfig: written(text) }, {})).toThrow(sentence);
  });

  test("an absent file names the setting", () => {
    expect(() => connectionOf({ kubeconfig: "/nowhere" }, {})).toThrow("Set --kubernetes-config");
  });
});

describe("the service account of a Pod", () => {
  const account = path.join(folder, "account");
  const env = { KUBERNETES_SERVICE_HOST: "10.96.0.1", KUBERNETES_SERVICE_PORT: "6443" };
  const write = (name: string, text: string) => writeFileSync(path.join(account, name), text);
  const connect = (host = env.KUBERNETES_SERVICE_HOST) =>
    connectionOf({}, { ...env, KUBERNETES_SERVICE_HOST: host }, account);
  beforeAll(() => {
    mkdirSync(account);
    write("namespace", "servers");
    write("ca.crt", "authority");
    write("token", "first\n");
  });

  test("gives the address, the authority and the namespace", () => {
    expect(connect()).toMatchObject({
      server: new URL("https://10.96.0.1:6443"),
      namespace: "servers",
      authority: Buffer.from("authority"),
    });
    expect(connect("fd00::1").server.host).toBe("[fd00::1]:6443");
  });

  test("has its token read for each call, because the kubelet replaces it", async () => {
    const { credentials } = connect();
    expect(await credentials()).toEqual({ token: "first" });
    write("token", "second\n");
    expect(await credentials()).toEqual({ token: "second" });
  });

  test("counts less than a file that is named", () => {
    const kubeconfig = written(config("{}"));
    expect(connectionOf({ kubeconfig }, env, account).server.host).toBe("k8s.example:6443");
    expect(connectionOf({}, { ...env, KUBECONFIG: kubeconfig }, account).server.host).toBe(
      "k8s.example:6443",
    );
  });
});
