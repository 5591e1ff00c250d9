import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { type Bind, type ContainerUser } from "#backends/containers/run-words";
import { ImageProblem } from "#backends/containers/image-problem";
import { privateUser } from "#backends/containers/private-user";
import type { Runtime } from "#backends/containers/runtime";
import { CVMFS, maybeCvmfsFolder } from "#backends/walls/cvmfs";
import type { CredentialPlaces, Credentials } from "#backends/walls/credentials";
import { isWithin } from "#plumbing/files/is-within";
import { printable } from "#plumbing/text/printable";
import type { Job, Mount } from "#workflow/job/job";

/** REANA's default user and group of a job. */
const DEFAULT_USER: ContainerUser = { uid: 1000, gid: 0 };

/** The place of secret files in REANA's jobs. */
export const SECRETS_AT = "/etc/reana/secrets";

/** The folders of credentials in REANA's jobs. */
export const CREDENTIALS_AT: CredentialPlaces = {
  ticket: "/krb5_cache",
  proxy: "/vomsproxy_cache",
  rucio: "/rucio_cache",
};

/** The folders of one attempt, on this machine. All paths are absolute. */
export interface JobFolders {
  readonly workspaceFolder: string;
  readonly scratchFolder: string;
  /** Files that the command reads: a long script, or variables. */
  readonly files: readonly string[];
  /** The folder of the secret files, if the job has any. */
  readonly secretFiles?: string | undefined;
  readonly credentials: Credentials;
  /** The folder of CVMFS. */
  readonly cvmfs?: string | undefined;
  /** Folders of this machine for every job to read, at unchanged paths. */
  readonly readable?: readonly string[] | undefined;
}

/**
 * Returns the bind mounts of a job: the workspace at the same path as outside, the home, the secrets, and the
 * mounts in the request.
 */
export function bindsOf(job: Job, folders: JobFolders): Bind[] {
  const { workspaceFolder, scratchFolder, files, secretFiles, credentials } = folders;
  const { writable, mounts = [] } = job;
  const whole: Bind = { from: workspaceFolder, at: workspaceFolder, mode: writable ? "read" : "write" };
  const own = (writable ?? []).map((folder) => inWorkspace(workspaceFolder, folder));
  return [
    whole,
    ...own.map((folder): Bind => ({ from: folder, at: folder, mode: "write" })),
    { from: scratchFolder, at: scratchFolder, mode: "write" },
    ...files.map((file): Bind => ({ from: file, at: file, mode: "read" })),
    ...(secretFiles === undefined ? [] : [{ from: secretFiles, at: SECRETS_AT, mode: "read" } as const]),
    ...credentialBinds(credentials),
    ...mounts.map((mount) => bindOf(mount, folders)),
  ];
}

/** Returns the parts of the workspace that a container shows in addition to the whole, as relative paths. */
export function boundParts(binds: readonly Bind[], workspaceFolder: string): readonly string[] {
  return binds
    .map(({ from }) => path.relative(workspaceFolder, from))
    .filter((part) => part !== "" && part !== ".." && !part.startsWith("../"));
}

/**
 * The job may not change a credential that this machine writes, because a link could lead a renewal to a file of
 * the server.
 */
function credentialBinds({ ticket, proxy, rucio }: Credentials): Bind[] {
  const mode = ticket && ticket.kinit === undefined ? "write" : "read";
  return [
    ...(ticket ? [{ from: ticket.folder, at: CREDENTIALS_AT.ticket, mode } as const] : []),
    ...(proxy ? [{ from: proxy.folder, at: CREDENTIALS_AT.proxy, mode: "read" } as const] : []),
    ...(rucio ? [{ from: rucio.folder, at: CREDENTIALS_AT.rucio, mode: "read" } as const] : []),
  ];
}

/** Outside the workspace, a job may mount CVMFS, and read what every job may read. */
function bindOf(mount: Mount, { workspaceFolder, cvmfs = CVMFS, readable = [] }: JobFolders): Bind {
  const { from, at, mode } = mount;
  if (!path.isAbsolute(from)) return { from: inWorkspace(workspaceFolder, from), at, mode };
  const place = maybeReadable(mount, readable);
  if (place !== undefined) return { from: place, at, mode };
  const folder = maybeCvmfsFolder(mount, cvmfs);
  if (folder === undefined) throw refusedMount(from, "it leads out of the workspace");
  if (!existsSync(folder)) throw refusedMount(from, "this machine does not have it. Mount CVMFS on it first");
  return { from: folder, at, mode };
}

/** Returns the real path of something that every job may read. */
function maybeReadable({ from, mode }: Mount, readable: readonly string[]): string | undefined {
  if (mode !== "read" || !existsSync(from)) return undefined;
  const real = realpathSync(from);
  const isAllowed = readable.some((one) => existsSync(one) && isWithin(real, realpathSync(one)));
  return isAllowed ? real : undefined;
}

/** Returns the real path of a part of the workspace. Throws if a symbolic link leads out of the workspace. */
function inWorkspace(workspaceFolder: string, part: string): string {
  const wanted = path.join(workspaceFolder, part);
  const root = realpathSync(workspaceFolder);
  const real = existsSync(wanted) ? realpathSync(wanted) : undefined;
  if (real === undefined) throw refusedMount(part, "it does not exist");
  if (!isWithin(real, root)) throw refusedMount(part, "it leads out of the workspace");
  return real === root ? workspaceFolder : path.join(workspaceFolder, path.relative(root, real));
}

function refusedMount(what: string, why: string): ImageProblem {
  return new ImageProblem(`The job cannot have ${printable(what, 200)} in its container: ${why}.`);
}

/** Returns the user to request from the runtime. */
export function userOf(
  { user = DEFAULT_USER }: Pick<Job, "user">,
  { name, isRootless }: Runtime,
): ContainerUser {
  if (name !== "docker") return isRootless ? user : { ...user, uid: privateUser(user.uid) };
  // Docker cannot map the server's user to another user of a container: the job runs as the owner of its
  // files.
  return { uid: isRootless ? 0 : (process.getuid?.() ?? 0), gid: 0 };
}
