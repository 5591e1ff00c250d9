import process from "node:process";

/** The server's variables that the runtimes read. */
const OWN =
  /^(PATH|HOME|USER|LOGNAME|LANG|TMPDIR|XDG_\w+|CONTAINERS?_\w+|APPTAINER_(?:CACHEDIR|TMPDIR|CONFIGDIR)|DOCKER_\w+|DBUS_SESSION_BUS_ADDRESS|REGISTRY_AUTH_FILE|(HTTPS?|NO|ALL)_PROXY|(https?|no|all)_proxy)$/;

/**
 * Returns the environment of a runtime's program: the server's own, never a job's. A job that could set `CONTAINERS_CONF`
 * could start anything.
 */
export function runtimeEnvironment(): Readonly<Record<string, string>> {
  const own = Object.entries(process.env).filter(([name, value]) => value !== undefined && OWN.test(name));
  return Object.fromEntries(own) as Record<string, string>;
}
