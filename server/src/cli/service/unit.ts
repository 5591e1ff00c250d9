/** What systemd is told about the server. */
export interface Service {
  /** Absolute: Node, what it is told, and the command. */
  readonly program: readonly string[];
  readonly dataFolder: string;
  /** The user that it runs as, for one of the whole system; nothing for a service of the user who installs it. */
  readonly user: string | undefined;
  /** Holds settings (`REPRISE_…=…`), one a line; need not be there. */
  readonly environmentFile: string;
}

export const STATE_FOLDER = "/var/lib";

/** The unit file, each line that is not plain with its reason. */
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
    "# The journal keeps what is logged, and lets go of what is old.",
    "Environment=REPRISE_LOG_TO=stderr",
    "# Settings, one a line: REPRISE_PORT=7070",
    `EnvironmentFile=-${specifiers(environmentFile)}`,
    "Restart=on-failure",
    "RestartSec=2",
    "# Jobs go on while the server is away; the next start finds them.",
    "KillMode=process",
    "# A job that used up the memory ends, and not the server with it.",
    "OOMPolicy=continue",
    "TasksMax=infinity",
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
  "# Jobs run within these walls too. What would keep them from containers and from helpers that are setuid is not",
  "# asked for, nor a /tmp that goes with the server while they are at work.",
  "ProtectSystem=full",
  "UMask=0027",
];

/** systemd makes folders in one place, for the user that the service runs as. */
function stateLines({ dataFolder, user }: Service): string[] {
  const name = dataFolder.slice(STATE_FOLDER.length + 1);
  const isState = dataFolder === `${STATE_FOLDER}/${name}` && /^[\w-]+$/.test(name);
  return user !== undefined && isState ? [`StateDirectory=${name}`, "StateDirectoryMode=0700"] : [];
}

/** As `ExecStart` reads words. */
function quoted(word: string): string {
  const text = specifiers(word).replaceAll("$", "$$$$");
  if (/^[\w@%+=:,./$-]+$/.test(text)) return text;
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/** `%h` and the like mean something to systemd. */
function specifiers(text: string): string {
  return text.replaceAll("%", "%%");
}
