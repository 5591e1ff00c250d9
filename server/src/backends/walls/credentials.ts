import path from "node:path";
import type { Demand } from "#backends/walls/demanded-secrets";
import { checkProxy, maybeProxy, type Proxy, PROXY_VARIABLE } from "#backends/walls/grid/proxy";
import { checkRucio, maybeRucio, type Rucio, RUCIO_VARIABLE } from "#backends/walls/grid/rucio";
import {
  checkTicket,
  maybeTicket,
  type Ticket,
  TICKET_VARIABLE,
  type TicketOptions,
} from "#backends/walls/kerberos/ticket";

/** The credentials that one attempt gets beside its secrets. Each is a file in a folder of its own. */
export interface Credentials {
  readonly ticket?: Ticket | undefined;
  readonly proxy?: Proxy | undefined;
  readonly rucio?: Rucio | undefined;
}

/** The folder in which a job sees each of its credentials. */
export type CredentialPlaces = Readonly<Record<keyof Credentials, string>>;

const VARIABLES: CredentialPlaces = {
  ticket: TICKET_VARIABLE,
  proxy: PROXY_VARIABLE,
  rucio: RUCIO_VARIABLE,
};

/** Throws if the job needs a credential, and a secret or a program for it is absent. */
export function checkCredentials(demand: Demand): void {
  checkTicket(demand);
  checkProxy(demand);
  checkRucio(demand);
}

/** Returns the credentials that the job needs, and makes their folders. */
export function credentialsFor(demand: Demand, attemptFolder: string, options: TicketOptions): Credentials {
  return {
    ticket: maybeTicket(demand, attemptFolder, options),
    proxy: maybeProxy(demand, attemptFolder, options),
    rucio: maybeRucio(demand, attemptFolder),
  };
}

/** Returns the variables that lead to the credentials: in the given folders, or where they lie on this machine. */
export function credentialVariables(
  credentials: Credentials,
  places?: CredentialPlaces,
): Readonly<Record<string, string>> {
  const found = Object.keys(VARIABLES).flatMap((name) => {
    const kind = name as keyof Credentials;
    const one = credentials[kind];
    return one ? [[VARIABLES[kind], path.join(places?.[kind] ?? one.folder, one.file)] as const] : [];
  });
  return Object.fromEntries(found);
}
