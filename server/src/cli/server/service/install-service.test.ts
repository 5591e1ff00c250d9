import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fakeCli } from "#cli/fake-cli";
import type { CliContext } from "#cli/context";
import { runCli } from "#cli/program";
import { nextSteps } from "#cli/server/service/install-service";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "reprise-service-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

async function install(words: readonly string[], parts: Partial<CliContext> = {}) {
  const cli = fakeCli({ environment: { XDG_CONFIG_HOME: folder }, ...parts });
  const code = await runCli(["install-service", ...words], cli);
  return { code, printed: cli.printed.join("\n"), errors: cli.errors.join("\n") };
}

const unitFile = () => path.join(folder, "systemd", "user", "reprise.service");

describe("reprise install-service", () => {
  test("for the system: jobs outlive the server, which runs as its own user", async () => {
    const { code, printed } = await install(["--print"]);
    expect(code).toBe(0);
    expect(printed).toBe(`[Unit]
Description=Reprise, reproducible analysis workflows
Wants=network-online.target
After=network-online.target postgresql.service

[Service]
Type=exec
ExecStart=/usr/bin/node --flag=1 /opt/reprise/bin/reprise.js serve --data /var/lib/reprise
User=reprise
StateDirectory=reprise
StateDirectoryMode=0700
# The journal stores the log and discards old entries.
Environment=REPRISE_LOG_TO=stderr
# Settings, one per line: REPRISE_PORT=7070
EnvironmentFile=-/etc/reprise.env
Restart=on-failure
RestartSec=2
# Jobs continue while the server is stopped; the next start finds them.
KillMode=process
# If a job runs out of memory, the server keeps running.
OOMPolicy=continue
TasksMax=infinity
# Lets the kernel limit memory, cores and processes of jobs. systemd before 254 ignores the second line, and the server
# measures instead.
Delegate=cpu memory pids
DelegateSubgroup=server
LimitNOFILE=65536
TimeoutStopSec=60
# These restrictions apply to jobs too. Options that would block containers or setuid helpers are left out, and
# so is a private /tmp, which would disappear with the server while jobs are running.
ProtectSystem=full
UMask=0027

[Install]
WantedBy=multi-user.target
`);
  });

  test("for a user: writes the file once, and prints the next steps", async () => {
    expect(await install(["--user", "--data", "/data"])).toEqual({
      code: 0,
      errors: "",
      printed: [
        `Wrote ${unitFile()}.`,
        "Next:",
        "  systemctl --user daemon-reload",
        "  systemctl --user enable --now reprise",
        "  loginctl enable-linger    # keeps it running after you log out",
      ].join("\n"),
    });
    const text = readFileSync(unitFile(), "utf8");
    expect(text).toContain("\nKillMode=process\n");
    expect(text).toContain("\nDelegateSubgroup=server\n");
    expect(text).not.toMatch(/^(User|StateDirectory|ProtectSystem)=/m);
    expect((await install(["--user", "--data", "/data"])).printed).toContain("is already up to date");
    writeFileSync(unitFile(), "mine");
    expect(await install(["--user", "--data", "/data"])).toEqual({
      code: 1,
      printed: "",
      errors: `${unitFile()} already exists with different content. Check it, then overwrite it with --force.`,
    });
    expect(readFileSync(unitFile(), "utf8")).toBe("mine");
    expect((await install(["--user", "--data", "/data", "--force"])).code).toBe(0);
    expect(readFileSync(unitFile(), "utf8")).toBe(text);
  });

  test("for the system: prints how commands find its data folder", () => {
    const service = { program: [], user: "reprise", environmentFile: "/etc/reprise.env" };
    expect(nextSteps({ ...service, dataFolder: "/var/lib/reprise" })).toEqual([
      "id reprise || useradd --system --home-dir /var/lib/reprise --shell /usr/sbin/nologin reprise",
      "systemctl daemon-reload",
      "systemctl enable --now reprise",
      "systemctl status reprise    # settings: /etc/reprise.env",
      "sudo -u reprise reprise list --data /var/lib/reprise    # other commands likewise",
    ]);
    expect(nextSteps({ ...service, dataFolder: "/srv/a b" })).toContain(
      "install -d -m 0700 -o reprise '/srv/a b'",
    );
  });

  test("unusual names arrive unchanged", async () => {
    const program = ["/usr/bin/node", '/opt/100% "my" $HOME\\reprise.js'];
    const { printed } = await install(["--print", "--data", "/srv/a b"], { program });
    expect(printed).toContain(
      String.raw`ExecStart=/usr/bin/node "/opt/100%% \"my\" $$HOME\\reprise.js" serve --data "/srv/a b"`,
    );
    expect(printed).not.toContain("StateDirectory");
  });

  test.each([
    [["--user", "--run-as", "ada"], {}, 2, "--run-as is for a system service"],
    [["--run-as", "a b"], {}, 2, '"a b" is not a valid user name.'],
    [
      ["--user"],
      { program: ["node", "/home/ada/.npm/_npx/1/reprise.js"] },
      1,
      "npx keeps this program only temporarily",
    ],
  ] as const)("%j is refused", async (words, parts, code, sentence) => {
    const refused = await install(words, parts);
    expect(refused).toMatchObject({ code, printed: "" });
    expect(refused.errors).toContain(sentence);
  });

  test("systemd, if installed, accepts the unit", async () => {
    const program = [process.execPath, "--max-semi-space-size=4", process.execPath];
    for (const words of [["--run-as", os.userInfo().username], ["--user"]]) {
      const { printed } = await install(["--print", ...words], { program });
      const file = path.join(folder, "reprise-test.service");
      writeFileSync(file, printed);
      const scope = words[0] === "--user" ? ["--user"] : [];
      const { error, stderr } = spawnSync("systemd-analyze", [...scope, "verify", "--man=no", file], {
        encoding: "utf8",
        env: { ...process.env, XDG_RUNTIME_DIR: folder },
      });
      // Before version 254 it does not know the group of the server.
      const warnings = stderr?.split("\n").filter((line) => !line.includes("DelegateSubgroup")) ?? [];
      if (error === undefined) expect(warnings.join("\n")).toBe("");
    }
  });
});
