import path from "node:path";
import { makeSecretsFolder, secretsFolder } from "#backends/process/attempt/secret-files";
import { checkPresent, type Demand, namedFile, refused } from "#backends/walls/demanded-secrets";
import { maybeProgram } from "#plumbing/files/find-program";
import { shellQuote } from "#plumbing/text/shell-quote";

/** REANA's names of the two secrets: the user's name, and the name of a file secret that is the keytab. */
const USER_SECRET = "CERN_USER";
const KEYTAB_SECRET = "CERN_KEYTAB";

/** The variable that leads programs to the ticket. */
export const TICKET_VARIABLE = "KRB5CCNAME";
/** The variable with the configuration of Kerberos, if that is not `/etc/krb5.conf`. */
const CONFIGURATION_VARIABLE = "KRB5_CONFIG";

/** A job's ticket is renewed every hour. Most last for ten hours or more. */
export const RENEWAL_SECONDS = 3600;
/** The user in the names of tickets by default: REANA's. */
const DEFAULT_UID = 1000;

/** The Kerberos ticket of one attempt. */
export interface Ticket {
  /** The absolute path of the requesting program. Absent if this machine has no kinit. */
  readonly kinit?: string;
  readonly principal: string;
  /** The name of the keytab among the secret files. */
  readonly keytab: string;
  /** The folder on this machine that holds only the ticket. The folder is removed with the job's secrets. */
  readonly folder: string;
  /** The file name of the ticket in `folder`. */
  readonly file: string;
  readonly renewalSeconds: number;
}

/** The settings by which a server gives tickets and other credentials. */
export interface TicketOptions {
  /**
   * Variables for every job on this machine. A secret, or a job's own value, of the same name wins. A
   * variable may lead to the configuration of Kerberos, or of VOMS.
   */
  readonly environment?: Readonly<Record<string, string>>;
  /** Time after which the credentials of a running job are renewed. Default: an hour; a VOMS proxy four hours. */
  readonly ticketRenewalSeconds?: number;
}

/** A syntactically valid principal: never looks like an option of kinit. */
const PRINCIPAL = /^[A-Za-z0-9_][\w.+/@-]{0,255}$/;

/** The reason why a job has no ticket on a machine without kinit. */
export const NO_KINIT =
  "The step needs a Kerberos ticket (kerberos: true), and this machine has no kinit. Install it (Debian: apt install krb5-user).";

const DEMAND = "The step needs a Kerberos ticket (kerberos: true)";

/** Throws if the job needs a ticket and its user lacks the secrets for a ticket. */
export function checkTicket({ job, secrets }: Demand): void {
  if (!job.kerberos) return;
  checkPresent(DEMAND, secrets, [
    { name: USER_SECRET, type: "env", holds: "the name of the user" },
    { name: KEYTAB_SECRET, type: "env", holds: "the name of the secret file that is the keytab" },
  ]);
  if (!PRINCIPAL.test(secrets!.environment[USER_SECRET]!.trim()))
    throw refused(DEMAND, `the secret ${USER_SECRET} cannot be the name of a user`);
  namedFile(DEMAND, secrets!, KEYTAB_SECRET);
}

/** Returns the user of a ticket, and the name of the keytab among the secret files. Throws as `checkTicket` does. */
export function ticketNames(demand: Demand): Pick<Ticket, "principal" | "keytab"> {
  checkTicket(demand);
  const { [USER_SECRET]: principal = "", [KEYTAB_SECRET]: keytab = "" } = demand.secrets?.environment ?? {};
  return { principal: principal.trim(), keytab: keytab.trim() };
}

/** Returns the job's ticket, and makes the ticket's folder. Undefined if the job needs no ticket. */
export function maybeTicket(
  { job, secrets }: Demand,
  attemptFolder: string,
  { ticketRenewalSeconds: renewalSeconds = RENEWAL_SECONDS }: TicketOptions,
): Ticket | undefined {
  if (!job.kerberos) return undefined;
  const names = ticketNames({ job, secrets });
  const folder = makeSecretsFolder(attemptFolder, "ticket");
  const kinit = maybeProgram("kinit");
  return {
    ...(kinit !== undefined && { kinit }),
    ...names,
    folder,
    file: `krb5_${job.user?.uid ?? DEFAULT_UID}`,
    renewalSeconds,
  };
}

/** Returns the words for an attempt with a ticket that this machine requests (slot.sh). */
export function ticketWords(
  { kinit, principal, keytab, folder, file, renewalSeconds }: Ticket,
  attemptFolder: string,
  { environment = {} }: TicketOptions,
): readonly string[] {
  if (kinit === undefined) return [];
  const configuration = environment[CONFIGURATION_VARIABLE] ?? "";
  const keytabFile = path.join(secretsFolder(attemptFolder), "files", keytab);
  const cache = path.join(folder, file);
  return ["ticketed", kinit, keytabFile, principal, cache, String(renewalSeconds), configuration];
}

/**
 * Returns a script that first requests a ticket by the kinit of the job's image, and renews the ticket. The
 * renewing process is not a child of the script: otherwise a script that waits for its children would wait
 * for the renewal.
 */
export function withOwnTicket(
  script: string,
  { principal, keytab, renewalSeconds }: Ticket,
  secretsAt: string,
): string {
  const words = ["kinit", "-k", "-t", path.posix.join(secretsAt, keytab), "-c"].map(shellQuote).join(" ");
  const request = `${words} "$${TICKET_VARIABLE}.new" ${shellQuote(principal)} && mv -f "$${TICKET_VARIABLE}.new" "$${TICKET_VARIABLE}"`;
  return [
    `{ ${request}; } || { echo ${shellQuote(noTicket(principal))} >&2; exit 126; }`,
    `( ( while sleep ${renewalSeconds}; do ${request}; done ) </dev/null >/dev/null 2>&1 & )`,
    script,
  ].join("\n");
}

function noTicket(principal: string): string {
  return `reprise: The job cannot get a Kerberos ticket for ${principal}.`;
}
