import { describe, expect, test } from "vitest";
import { fakeCli } from "#cli/fake-cli";
import { buildProgram, runCli } from "#cli/program";

describe("a mistyped command has exit code 2 and a sentence", () => {
  test.each([
    [["nope"], "error: unknown command 'nope'"],
    [["serve", "--prot", "1"], "error: unknown option '--prot'"],
    [["user", "add"], "error: missing required argument 'e-mail'"],
    [["user", "add", "a@b", "c@d"], "error: too many arguments"],
    [["mv", "a"], "error: missing required argument 'target'"],
    [["status", "--token", "x"], "error: unknown option '--token'"],
    [["serve", "--admin-token", "x"], "error: unknown option '--admin-token'"],
  ])("%j", async (args, sentence) => {
    const cli = fakeCli();
    expect(await runCli(args, cli)).toBe(2);
    expect(cli.errors.join("\n")).toContain(sentence);
    expect(cli.printed).toEqual([]);
  });

  test("--token-stdin without any input", async () => {
    const cli = fakeCli({ readInput: async () => "\n" });
    expect(await runCli(["user", "add", "a@example.org", "--token-stdin"], cli)).toBe(2);
    expect(cli.errors).toEqual(["--token-stdin was given, but standard input was empty."]);
  });
});

const REMOTE =
  "create upload start status logs ls download rm mv du list stop restart rerun delete open env validate completion".split(
    " ",
  );

describe("every command has a help text", () => {
  test.each([
    [[]],
    [["serve"]],
    [["user"]],
    [["user", "add"]],
    [["user", "list"]],
    [["user", "token"]],
    [["user", "disable"]],
    [["user", "enable"]],
    [["user", "admin"]],
    [["user", "delete"]],
    [["migrate"]],
    [["doctor"]],
    [["version"]],
    ...REMOTE.map((word) => [[word]]),
  ])("%j --help", async (words) => {
    const cli = fakeCli();
    expect(await runCli([...words, "--help"], cli)).toBe(0);
    expect(cli.printed.join("\n")).toMatch(new RegExp(`^Usage: ${["reprise", ...words].join(" ")} `));
  });
});

describe("--help", () => {
  test("lists every command in a group, on one line of 80 columns", async () => {
    const cli = fakeCli();
    await runCli(["--help"], cli);
    const [, ...groups] = cli.printed.join("\n").split(/\n\n(?=[A-Z]\w+:\n)/);
    const names = groups.map((group) => group.split("\n")[0]);
    expect(names).toEqual(["Options:", "Run:", "Files:", "Sharing:", "Server:", "Users:", "Other:"]);
    const lines = groups.slice(1).flatMap((group) => group.split("\n").slice(1));
    const commands = lines.map(
      (line) => /^ {2}([a-z-]+)( \S.*?)? {2,}[A-Z].*[a-zA-Z)]$/.exec(line)?.[1] ?? line,
    );
    const known = buildProgram(cli, () => undefined).commands.map((command) => command.name());
    expect(commands.toSorted()).toEqual([...known, "help"].toSorted());
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  test("the help of a command has its whole description", async () => {
    const cli = fakeCli();
    await runCli(["drain", "--help"], cli);
    expect(cli.printed.join(" ").replaceAll(/\s+/g, " ")).toContain(
      "The next start of the server ends the drain.",
    );
  });
});

test("version", async () => {
  const cli = fakeCli();
  expect(await runCli(["version"], cli)).toBe(0);
  expect(await runCli(["version", "--json"], cli)).toBe(0);
  expect(cli.printed).toEqual(["reprise 1.2.3", '{"version":"1.2.3","node":"24.0.0"}']);
});

describe("migrate prints the changes", () => {
  test("changes", async () => {
    const cli = fakeCli();
    expect(await runCli(["migrate"], cli)).toBe(0);
    expect(await runCli(["migrate", "--json"], cli)).toBe(0);
    expect(cli.printed).toEqual([
      "The database (SQLite) has been brought up to date: 0001-first.",
      '{"database":"SQLite","changes":["0001-first"]}',
    ]);
  });

  test("nothing", async () => {
    const cli = fakeCli({ migrate: async () => ({ database: "PostgreSQL", changes: [] }) });
    expect(await runCli(["migrate"], cli)).toBe(0);
    expect(cli.printed).toEqual(["The database (PostgreSQL) is up to date: there was nothing to do."]);
  });

  test("an unreachable database: says what to check", async () => {
    const away = Object.assign(new Error("The database does not answer (why). Nothing was changed."), {
      code: "DATABASE_AWAY",
    });
    const cli = fakeCli({ migrate: () => Promise.reject(away) });
    expect(await runCli(["migrate"], cli)).toBe(1);
    expect(cli.errors).toEqual([
      `${away.message} Check that PostgreSQL is running, and that REPRISE_DATABASE points to it.`,
    ]);
  });
});

describe("users", () => {
  test("list prints no tokens", async () => {
    const cli = fakeCli();
    expect(await runCli(["user", "list"], cli)).toBe(0);
    expect(cli.printed).toEqual([
      "E-MAIL           ID  STATE",
      "admin@localhost  2d  administrator",
      "ada@example.org  1d  active",
      "old@example.org  1d  disabled",
    ]);
  });

  test.each([
    [["add", "a@example.org"], ["made.for.you"], ["a@example.org was added. The token:"]],
    [["token", "1d"], ["new.and.fresh"], ["ada@example.org has a new token:"]],
    [
      ["token", "1d", "--revoke-old"],
      ["new.and.fresh"],
      ["ada@example.org has a new token; the old ones are revoked:"],
    ],
    [["enable", "1d"], ["ada@example.org is enabled."], []],
    [["admin", "1d"], ["ada@example.org is an administrator."], []],
    [["provider", "1d"], ["The provider now signs in to the account ada@example.org."], []],
    [
      ["provider", "1d", "--refuse"],
      ["The provider was refused, and does not open the account ada@example.org."],
      [],
    ],
  ])("%j", async (args, lines, words) => {
    const cli = fakeCli();
    expect(await runCli(["user", ...args], cli)).toBe(0);
    expect([cli.printed, cli.errors]).toEqual([lines, words]);
  });

  test.each([
    [
      ["list"],
      expect.arrayContaining([
        {
          id_: "1d",
          email: "ada@example.org",
          admin: false,
          disabled: false,
          waiting: false,
          asking_provider: null,
        },
      ]),
    ],
    [["add", "a@example.org"], { id_: "3d", email: "a@example.org", access_token: "made.for.you" }],
    [["token", "1d"], { id_: "1d", email: "ada@example.org", access_token: "new.and.fresh" }],
    [
      ["disable", "1d"],
      {
        id_: "1d",
        email: "ada@example.org",
        admin: false,
        disabled: true,
        waiting: false,
        asking_provider: null,
      },
    ],
    [
      ["enable", "1d"],
      {
        id_: "1d",
        email: "ada@example.org",
        admin: false,
        disabled: false,
        waiting: false,
        asking_provider: null,
      },
    ],
    [
      ["admin", "1d"],
      {
        id_: "1d",
        email: "ada@example.org",
        admin: true,
        disabled: false,
        waiting: false,
        asking_provider: null,
      },
    ],
    [
      ["provider", "1d"],
      {
        id_: "1d",
        email: "ada@example.org",
        admin: false,
        disabled: false,
        waiting: false,
        asking_provider: null,
      },
    ],
    [["delete", "1d"], { id_: "1d", email: "ada@example.org", runs: 12, stopped: 0 }],
  ])("%j --json", async (args, value: unknown) => {
    const cli = fakeCli();
    expect(await runCli(["user", ...args, "--json"], cli)).toBe(0);
    expect(cli.printed).toHaveLength(1);
    expect(JSON.parse(cli.printed[0]!)).toEqual(value);
  });

  test("a chosen token is read from standard input, never from an argument", async () => {
    const cli = fakeCli({ readInput: async () => "mine.all.mine\n" });
    expect(await runCli(["user", "add", "a@example.org", "--token-stdin"], cli)).toBe(0);
    expect(cli.printed).toContain("mine.all.mine");
  });
});

test("a failure is one sentence on standard error, as JSON when asked for", async () => {
  const cli = fakeCli({ openUsers: () => Promise.reject(new Error("The disk is on fire.")) });
  expect(await runCli(["user", "list"], cli)).toBe(1);
  expect(await runCli(["user", "list", "--json"], cli)).toBe(1);
  expect(cli.errors).toEqual(["The disk is on fire.", '{"message":"The disk is on fire."}']);
  expect(cli.printed).toEqual([]);
});

test("a folder in use whose server does not say where it is", async () => {
  const cli = fakeCli({ openUsers: async () => undefined });
  expect(await runCli(["user", "list", "--data", "/nowhere/at/all"], cli)).toBe(1);
  expect(cli.errors[0]).toContain("The data folder /nowhere/at/all is in use");
});
