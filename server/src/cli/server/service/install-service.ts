import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { CommandError, UsageError } from "#cli/failure";
import { type Call, optionOf } from "#cli/call";
import type { CliContext, SettingOptions } from "#cli/context";
import { type Service, STATE_FOLDER, unitText } from "#cli/server/service/unit";
import { codeOf, messageOf } from "#plumbing/errors";
import { homeFolder } from "#plumbing/own-user";
import { maybeReadFile } from "#plumbing/secrets/secret-file";
import { shellQuote } from "#plumbing/text/shell-quote";

interface InstallOptions {
  /** Installs a service of the current user instead of a system service. */
  readonly forUser: boolean;
  readonly runAs: string | undefined;
}

const NAME = "reprise";

/** Writes the systemd unit file and prints the next steps. Changes nothing else. */
export async function installService(cli: CliContext, call: Call): Promise<void> {
  const { settings, flags } = call;
  const [forUser, runAs] = [flags("user"), optionOf(call, "runAs")];
  if (forUser && runAs !== undefined)
    throw new UsageError("--run-as is for a system service and cannot be combined with --user.");
  if (runAs !== undefined && !/^[a-z_][\w-]*$/.test(runAs))
    throw new UsageError(`"${runAs}" is not a valid user name.`);
  refusePassing(cli.program);
  const service = serviceOf(cli, settings, { forUser, runAs });
  const text = unitText(service);
  if (flags("print")) return cli.printPart(text);
  const file = path.join(unitFolder(cli, forUser), `${NAME}.service`);
  const isNew = await writeUnit(file, text, flags("force"));
  cli.print(isNew ? `Wrote ${file}.` : `${file} is already up to date.`);
  cli.print(["Next:", ...nextSteps(service).map((step) => `  ${step}`)].join("\n"));
}

/** Refuses a program in the cache of npx, because npm may delete cached programs at any time. */
function refusePassing(program: readonly string[]): void {
  if (!program.some((word) => word.includes(`${path.sep}_npx${path.sep}`))) return;
  throw new CommandError(
    "npx keeps this program only temporarily. Install it first (npm install --global ./reprise-….tgz), then run this again.",
  );
}

function serviceOf(cli: CliContext, settings: SettingOptions, { forUser, runAs }: InstallOptions): Service {
  const { program } = cli;
  if (forUser) {
    const environmentFile = path.join(configHome(cli), `${NAME}.env`);
    return { program, dataFolder: path.resolve(cli.dataFolder(settings)), user: undefined, environmentFile };
  }
  const given = settings["dataFolder"] ?? cli.environment["REPRISE_DATA"];
  const dataFolder = typeof given === "string" ? path.resolve(given) : `${STATE_FOLDER}/${NAME}`;
  return { program, dataFolder, user: runAs ?? NAME, environmentFile: `/etc/${NAME}.env` };
}

function unitFolder(cli: CliContext, forUser: boolean): string {
  return forUser ? path.join(configHome(cli), "systemd", "user") : "/etc/systemd/system";
}

/** A relative $XDG_CONFIG_HOME is ignored, as the XDG specification asks. */
function configHome({ environment }: CliContext): string {
  const { XDG_CONFIG_HOME: xdg = "" } = environment;
  return path.isAbsolute(xdg) ? xdg : path.join(homeFolder(environment), ".config");
}

/** Returns whether the file was written now. */
async function writeUnit(file: string, text: string, force: boolean): Promise<boolean> {
  const before = await maybeReadFile(file);
  if (before === text) return false;
  if (before !== undefined && !force) {
    throw new CommandError(
      `${file} already exists with different content. Check it, then overwrite it with --force.`,
    );
  }
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
    return true;
  } catch (error) {
    if (!["EACCES", "EPERM", "EROFS"].includes(codeOf(error) ?? "")) throw error;
    throw new CommandError(
      `${file} could not be written (${messageOf(error)}). Use sudo, or --user for a service of your own.`,
    );
  }
}

export function nextSteps({ user, dataFolder, environmentFile }: Service): string[] {
  if (user === undefined) {
    return [
      "systemctl --user daemon-reload",
      `systemctl --user enable --now ${NAME}`,
      "loginctl enable-linger    # keeps it running after you log out",
    ];
  }
  const isMade = dataFolder.startsWith(`${STATE_FOLDER}/`);
  return [
    `id ${user} || useradd --system --home-dir ${shellQuote(dataFolder)} --shell /usr/sbin/nologin ${user}`,
    ...(isMade ? [] : [`install -d -m 0700 -o ${user} ${shellQuote(dataFolder)}`]),
    "systemctl daemon-reload",
    `systemctl enable --now ${NAME}`,
    `systemctl status ${NAME}    # settings: ${environmentFile}`,
    `sudo -u ${user} reprise list --data ${shellQuote(dataFolder)}    # other commands likewise`,
  ];
}
