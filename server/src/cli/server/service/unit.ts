/** The variable parts of the systemd unit. */
export interface Service {
  /** Absolute paths: Node, its flags, and the program's file. */
  readonly program: readonly string[];
  readonly dataFolder: string;
  /** The user that a system service runs as; undefined for a service of the user who installs it. */
  readonly user: string | undefined;
  /** An optional file with settings (`REPRISE_…=…`), one per line. */
  readonly environmentFile: string;
}

export const STATE_FOLDER = "/var/lib";

/** Returns the unit file. A comment with the reason precedes each line that is not obvious. */
export function unitText(service: Service): string {
  const { program, dataFolder, user, environmentFile } = service;
  const start = [...program, "serve", "--data", dataFolder].map(quoted).join(" ");
  const lines = [
    "[Unit]",
    "Description=Reprise, reproducible analysis workflows",
    ...(user === undefined
      ? []
      : ["Wants=network-online.target", "After=network-online.target postgresql.service"]),
    "",
    "[Service]",
    "Type=exec",
    `ExecStart=${start}`,
    ...(user === undefined ? [] : [`User=${user}`]),
    ...stateLines(service),
    "# The journal stores the log and discards old entries.",
    "Environment=REPRISE_LOG_TO=stderr",
    "# Settings, one per line: REPRISE_PORT=7070",
    `EnvironmentFile=-${specifiers(environmentFile)}`,
    "Restart=on-failure",
    "RestartSec=2",
    "# Jobs continue while the server is stopped; the next start finds them.",
    "KillMode=process",
    "# If a job runs out of memory, the server keeps running.",
    "OOMPolicy=continue",
    "TasksMax=infinity",
    "# Lets the kernel limit memory, cores and processes of jobs. systemd before 254 ignores the second line, and the server",
    "# measures instead.",
    "Delegate=cpu memory pids",
    "DelegateSubgroup=server",
    "LimitNOFILE=65536",
    "TimeoutStopSec=60",
    ...(user === undefined ? [] : HARDENING),
    "",
    "[Install]",
    `WantedBy=${user === undefined ? "default.target" : "multi-user.target"}`,
  ];
  return `${lines.join("\n")}\n`;
}

const HARDENING = [
  "# These restrictions apply to jobs too. Options that would block containers or setuid helpers are left out, and",
  "# so is a private /tmp, which would disappear with the server while jobs are running.",
  "ProtectSystem=full",
  "UMask=0027",
];

/** Lets systemd create the folder for the service's user. Works only under `/var/lib`. */
function stateLines({ dataFolder, user }: Service): string[] {
  const name = dataFolder.slice(STATE_FOLDER.length + 1);
  const isState = dataFolder === `${STATE_FOLDER}/${name}` && /^[\w-]+$/.test(name);
  return user !== undefined && isState ? [`StateDirectory=${name}`, "StateDirectoryMode=0700"] : [];
}

/** Quotes a word the way `ExecStart` reads it. */
function quoted(word: string): string {
  const text = specifiers(word).replaceAll("$", "$$$$");
  if (/^[\w@%+=:,./$-]+$/.test(text)) return text;
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/** Escapes `%`, which systemd expands (`%h`). */
function specifiers(text: string): string {
  return text.replaceAll("%", "%%");
}
