import os from "node:os";
import { describe, expect, test } from "vitest";
import { openHostProblem } from "#config/open-host";
import { changedSettings, readConfig, reportSettings, SettingError, settingRows } from "#config/read";
import { isLoopback } from "#plumbing/loopback";
import { usableMemoryBytes } from "#config/usable-memory";

function problemOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof SettingError) return error.message;
    throw error;
  }
  throw new Error("It was accepted.");
}

describe("without any setting given", () => {
  test("a server for the local machine alone", () => {
    const config = readConfig({ HOME: "/home/ada" });
    expect(config).toMatchObject({
      host: "127.0.0.1",
      port: 7070,
      dataFolder: "/home/ada/.local/share/reprise",
      durability: "normal",
      adminToken: undefined,
      adminEmail: undefined,
      sampleRun: true,
      allowInsecureHost: false,
      maxJsonBytes: 16_777_216,
      maxStreamsPerUser: 500,
      maxRunsAtOnce: 4 * os.availableParallelism(),
      cores: os.availableParallelism(),
      memoryBytes: usableMemoryBytes(),
      gitHttpHosts: [],
      gitTimeoutMs: 8000,
    });
    expect(openHostProblem(config)).toBeUndefined();
  });

  test("the data folder follows $XDG_DATA_HOME, unless that is relative", () => {
    expect(readConfig({ HOME: "/home/ada", XDG_DATA_HOME: "/srv/data" }).dataFolder).toBe(
      "/srv/data/reprise",
    );
    expect(readConfig({ HOME: "/home/ada", XDG_DATA_HOME: "data" }).dataFolder).toBe(
      "/home/ada/.local/share/reprise",
    );
  });
});

describe("an option beats the environment, the environment beats the default", () => {
  test("port", () => {
    expect(readConfig({ REPRISE_PORT: "8080" }).port).toBe(8080);
    expect(readConfig({ REPRISE_PORT: "8080" }, { port: "0" }).port).toBe(0);
  });

  test("flags, either way", () => {
    expect(readConfig({ REPRISE_SAMPLE_RUN: "false" }).sampleRun).toBe(false);
    expect(readConfig({ REPRISE_SAMPLE_RUN: "no" }, { sampleRun: true }).sampleRun).toBe(true);
    expect(readConfig({ REPRISE_ALLOW_INSECURE_HOST: "1" }).allowInsecureHost).toBe(true);
  });

  test("an empty text is no value", () => {
    expect(readConfig({ REPRISE_PORT: "", REPRISE_ADMIN_TOKEN: "" })).toMatchObject({
      port: 7070,
      adminToken: undefined,
    });
  });
});

test("sizes, times, lists and folders are read as people write them", () => {
  const config = readConfig(
    {
      HOME: "/home/ada",
      REPRISE_MAX_JSON: "2MiB",
      REPRISE_GIT_TIMEOUT: "3 s",
      REPRISE_GIT_MAX_SIZE: "4096",
      REPRISE_QUOTA_DISK: "2TiB",
    },
    { gitHttpHosts: "Git.example.org, localhost:3000", dataFolder: "~/runs" },
  );
  expect(config).toMatchObject({
    maxJsonBytes: 2_097_152,
    gitTimeoutMs: 3000,
    gitMaxBytes: 4096,
    quotaDiskBytes: 2 ** 41,
    gitHttpHosts: ["git.example.org", "localhost:3000"],
    dataFolder: "/home/ada/runs",
  });
});

describe("the environment of jobs", () => {
  const env = { LD_LIBRARY_PATH: "/opt/lib", PYTHONPATH: "", ROOTSYS: "/opt/root" };
  test.each([
    ["ROOTSYS", { ROOTSYS: "/opt/root" }],
    ["LD_LIBRARY_PATH,ROOTSYS", { LD_LIBRARY_PATH: "/opt/lib", ROOTSYS: "/opt/root" }],
    ["OMP_NUM_THREADS=4\nROOTSYS\nLIST=a,b=c", { OMP_NUM_THREADS: "4", ROOTSYS: "/opt/root", LIST: "a,b=c" }],
    ["EMPTY=\nPYTHONPATH\nX509_USER_PROXY", { EMPTY: "", PYTHONPATH: "" }],
  ])("%j", (given, expected) => {
    expect(readConfig(env, { jobEnvironment: given }).jobEnvironment).toEqual(expected);
    expect(readConfig({ ...env, REPRISE_JOB_ENV: given }).jobEnvironment).toEqual(expected);
  });

  test.each(["REPRISE_ADMIN_TOKEN", "REANA_ACCESS_TOKEN", "REPRISE_X=hush", "a-b=hush", "A,,B", "1A=hush"])(
    "%s is refused, and its value not repeated",
    (given) => {
      const problem = problemOf(() => readConfig(env, { jobEnvironment: given }));
      expect(problem).toMatch(
        /^--env is not usable: it must be NAME or NAME=value, and no variable of Reprise/,
      );
      expect(problem).not.toContain("hush");
    },
  );
});

describe("a settings file", () => {
  const files: Record<string, string> = {
    "/srv/reprise.conf": [
      "# Settings of the server.",
      "port = 8080",
      "",
      "  git-max-size=4KiB  ",
      "admin-token = hush",
      "env = LIST=a,b",
      "env = OTHER=1",
      "git-http-hosts = a.example.org, b.example.org",
      "sample-run = no",
    ].join("\r\n"),
    "/etc/bad.conf": "git-timeuot = 1\nport = x\nadmin-token = a b\n= 2\nport = 3\nconfig = /x\nnonsense",
    "/etc/elsewhere.conf": "data = /srv/elsewhere\n",
    "/bad/reprise.conf": "data = /srv\n",
  };
  const read = (env: Record<string, string>, options = {}) => readConfig(env, options, (file) => files[file]);

  test("in the data folder is read", () => {
    expect(read({ REPRISE_DATA: "/srv" })).toMatchObject({
      port: 8080,
      gitMaxBytes: 4096,
      adminToken: "hush",
      jobEnvironment: { LIST: "a,b", OTHER: "1" },
      gitHttpHosts: ["a.example.org", "b.example.org"],
      sampleRun: false,
      durability: "normal",
    });
  });

  test("is overridden by the environment, and that by an option", () => {
    expect(read({ REPRISE_DATA: "/srv", REPRISE_PORT: "8081" }).port).toBe(8081);
    expect(read({ REPRISE_DATA: "/srv", REPRISE_PORT: "8081" }, { port: "8082" }).port).toBe(8082);
    expect(read({ REPRISE_DATA: "/srv", REPRISE_PORT: "" }).port).toBe(8080);
  });

  test("that is named by an option may set the data folder, whose own file is then not read", () => {
    expect(read({}, { configFile: "/etc/elsewhere.conf" })).toMatchObject({
      dataFolder: "/srv/elsewhere",
      port: 7070,
    });
    expect(read({ REPRISE_CONFIG: "/etc/elsewhere.conf", REPRISE_DATA: "/srv" }).dataFolder).toBe("/srv");
  });

  test("is refused with the line of each mistake, and no secret is repeated", () => {
    expect(problemOf(() => read({ REPRISE_CONFIG: "/etc/bad.conf" })).split("\n")).toEqual([
      "/etc/bad.conf, line 1: git-timeuot is no setting; did you mean git-timeout?",
      "/etc/bad.conf, line 4: a line must be of the form name = value.",
      "/etc/bad.conf, line 5: port is set twice.",
      "/etc/bad.conf, line 6: config cannot be set in this file.",
      "/etc/bad.conf, line 7: a line must be of the form name = value.",
      '/etc/bad.conf, line 2: port is "x": it must be a whole number from 0 to 65535.',
      "/etc/bad.conf, line 3: admin-token is not usable: it must be a token without blanks.",
    ]);
    expect(problemOf(() => read({ REPRISE_DATA: "/bad" }))).toBe(
      "/bad/reprise.conf, line 1: data cannot be set in this file.",
    );
  });

  test("that is named by an option must exist", () => {
    expect(problemOf(() => read({ REPRISE_CONFIG: "/etc/none.conf" }))).toContain(
      "/etc/none.conf does not exist",
    );
    expect(read({ REPRISE_DATA: "/none" }).port).toBe(7070);
  });

  test("is described for `reprise doctor`", () => {
    const report = (env: Record<string, string>) => reportSettings(env, {}, (file) => files[file]);
    expect(report({ REPRISE_DATA: "/srv" })).toEqual({
      path: "/srv/reprise.conf",
      isThere: true,
      set: 6,
      hasSecrets: true,
      problems: [],
    });
    expect(report({ REPRISE_DATA: "/none" })).toMatchObject({ isThere: false, set: 0 });
    expect(report({ REPRISE_DATA: "/none", REPRISE_PORT: "x" }).problems).toHaveLength(1);
  });
});

describe("a bad value is refused with a sentence", () => {
  test.each([
    [{ REPRISE_PORT: "70000" }, {}, 'REPRISE_PORT is "70000": it must be a whole number from 0 to 65535.'],
    [{ REPRISE_PORT: "1" }, { port: "1e3" }, '--port is "1e3": it must be a whole number from 0 to 65535.'],
    [{ REPRISE_DURABILITY: "none" }, {}, 'REPRISE_DURABILITY is "none": it must be normal or full.'],
    [{ REPRISE_SAMPLE_RUN: "maybe" }, {}, 'REPRISE_SAMPLE_RUN is "maybe": it must be true or false.'],
    [{}, { maxJsonBytes: "1MB" }, '--max-json is "1MB": it must be a number of bytes'],
    [{}, { gitTimeoutMs: "8constructor" }, '--git-timeout is "8constructor": it must be milliseconds'],
    [{}, { gitHttpHosts: "a,,b" }, '--git-http-hosts is "a,,b": it must be host names'],
    [{}, { mailReport: "daily" }, "--mail-report needs a mail server: set REPRISE_MAIL_SERVER too."],
    [
      {},
      { sharedFolder: "/mnt" },
      "--shared needs PostgreSQL, which several servers can use: set REPRISE_DATABASE too.",
    ],
    [
      { REPRISE_DATABASE: "postgres://db/reprise" },
      { sharedFolder: "/mnt", host: "0.0.0.0" },
      "--shared with --host 0.0.0.0 needs --peer-address",
    ],
    [{}, { peerAddress: "10.0.0.5" }, '--peer-address is "10.0.0.5": it must be an address with a port'],
    [{}, { tlsCert: "/a.pem" }, "--tls-cert and --tls-key go together"],
    [{}, { mounts: "opt" }, '--mount is "opt": it must be an absolute path, with `:`'],
    [{}, { mounts: "/" }, '--mount is "/"'],
    [{}, { mounts: "/a:/b:rw" }, '--mount is "/a:/b:rw"'],
  ])("%j %j", (env, options, sentence) => {
    expect(problemOf(() => readConfig(env, options))).toContain(sentence);
  });

  test("all bad values together, one per line", () => {
    expect(
      problemOf(() => readConfig({ REPRISE_PORT: "x", REPRISE_LOG_LEVEL: "loud" })).split("\n"),
    ).toHaveLength(2);
  });

  test("a token is not repeated", () => {
    expect(problemOf(() => readConfig({ REPRISE_ADMIN_TOKEN: "hush hush" }))).toBe(
      "REPRISE_ADMIN_TOKEN is not usable: it must be a token without blanks.",
    );
  });
});

test("mounts", () => {
  expect(readConfig({}, { mounts: "/opt\n/srv/data/:/data\n/scratch:/scratch:write" }).mounts).toEqual([
    { path: "/opt", at: "/opt", mode: "read" },
    { path: "/srv/data/", at: "/data", mode: "read" },
    { path: "/scratch", at: "/scratch", mode: "write" },
  ]);
});

describe("the address of a database", () => {
  test.each([
    "postgres://ada:p%23ss@db.example.org:5433/reprise?sslmode=verify-full",
    "postgresql://ada@localhost/reprise",
    "postgres://ada:secret@/reprise?host=%2Frun%2Fpostgresql",
  ])("%s", (address) => {
    expect(readConfig({ REPRISE_DATABASE: address }).database).toBe(address);
  });

  test.each([
    "mysql://ada:hush@host/db",
    "postgres://ada:hu#sh@host/db",
    "postgres://ada:hu sh@host/db",
    "hush",
  ])("a bad one is refused and not repeated: %s", (address) => {
    const problem = problemOf(() => readConfig({ REPRISE_DATABASE: address }));
    expect(problem).toMatch(/^REPRISE_DATABASE is not usable: it must be an address such as postgres:/);
    expect(problem).not.toContain("hu");
  });
});

describe("remote clients may connect only over TLS, or by an explicit setting", () => {
  test.each(["127.0.0.1", "127.1.2.3", "::1", "[::1]", "localhost"])("%s is the local machine", (host) => {
    expect(isLoopback(host)).toBe(true);
    expect(openHostProblem(readConfig({}, { host }))).toBeUndefined();
  });

  test.each(["0.0.0.0", "::", "192.168.1.5", "example.org", "127.evil.org"])("%s is not", (host) => {
    expect(openHostProblem(readConfig({}, { host }))).toContain(`Others can reach ${host}`);
    expect(openHostProblem(readConfig({}, { host, allowInsecureHost: true }))).toBeUndefined();
    expect(openHostProblem(readConfig({}, { host, tlsCert: "/c.pem", tlsKey: "/k.pem" }))).toBeUndefined();
  });
});

test("every setting has a description, and no two share a name", () => {
  const rows = settingRows();
  for (const row of rows) expect(row.sentence, row.name).toMatch(/\.$/);
  expect(new Set(rows.map((row) => row.variable)).size).toBe(rows.length);
  expect(rows.find((row) => row.name === "port")).toMatchObject({
    option: "--port",
    variable: "REPRISE_PORT",
    fallback: "`7070`",
  });
});

test("an administrator's address is judged as every other user's", () => {
  expect(readConfig({ REPRISE_ADMIN_EMAIL: "root@example.org" }).adminEmail).toBe("root@example.org");
  expect(problemOf(() => readConfig({ REPRISE_ADMIN_EMAIL: "é@x.org" }))).toBe(
    'REPRISE_ADMIN_EMAIL is "é@x.org": it must be an e-mail address.',
  );
});

test("changed settings are shown as the settings file could hold them", () => {
  const given = {
    HOME: "/home/ada",
    REPRISE_MAX_JSON: "2MiB",
    REPRISE_SIGN_IN: "cern.title=CERN\ncern.who=anyone",
  };
  const issuer = "\ncern.issuer=https://auth.example.org\ncern.client-id=reprise";
  const { signIn, ...others } = changedSettings(
    readConfig({ ...given, REPRISE_SIGN_IN: given.REPRISE_SIGN_IN + issuer }),
  );
  expect(signIn).toBe(`cern.title=CERN\ncern.who=anyone${issuer}`);
  expect(others).toMatchObject({ maxJsonBytes: "2MiB" });
});
