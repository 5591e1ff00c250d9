import { printable } from "#plumbing/text/printable";

/** A message of ssh, and the words for it. The words follow the name of the login host. */
type Row = readonly [message: RegExp, words: (host: string, line: string) => string];

const ROWS: readonly Row[] = [
  [
    /IDENTIFICATION HAS CHANGED/,
    (host) =>
      `has another host key than before. If its administrator confirms the new key, remove the old one: ssh-keygen -R ${nameIn(host)}`,
  ],
  [
    /Host key verification failed|host key is known for/,
    (host) =>
      `has an unknown host key. Connect once as the user of the server, and compare the key: ssh ${host}`,
  ],
  [
    /Permission denied \(.*(password|keyboard-interactive).*\)/,
    () =>
      "asks for a password, and a server cannot type one. Add a public key of the server's user to authorized_keys there, without a passphrase or in an agent",
  ],
  [
    /Permission denied|Too many authentication failures/,
    () => "refuses the keys of the server's user. Add a public key of this user to authorized_keys there",
  ],
  [/Could not resolve hostname/, () => "is not known by this name. Compare --slurm-host"],
  [
    /Bad configuration option|Bad owner or permissions|Can't open user config|terminating, \d+ bad/,
    (_, line) => `cannot be reached, because ssh refuses its configuration: ${line}`,
  ],
  [/ENOENT/, () => "cannot be reached, because this machine has no ssh. Install it (Debian: openssh-client)"],
];

/** Returns why the login host could not be reached, as a sentence without its end. `said` is the output of ssh. */
export function sshProblem(host: string, said: string): string {
  const [, words] = ROWS.find(([message]) => message.test(said)) ?? [];
  const lines = said.split("\n").map((line) => line.trim());
  const line = printable((lines.findLast((one) => one !== "") ?? "").replace(/\.$/, ""), LINE_MAX_CHARACTERS);
  return `the login host ${host} ${words?.(host, line) ?? `does not answer: ${line === "" ? "the connection ended" : line}`}`;
}

const LINE_MAX_CHARACTERS = 150;

/** Returns the name under which ssh knows the key of a host. */
function nameIn(host: string): string {
  const [, name = host, port] = /^(?:ssh:\/\/)?(?:[^@]*@)?(.*?)(?::(\d+))?$/.exec(host) ?? [];
  return port === undefined ? name : `'[${name}]:${port}'`;
}
