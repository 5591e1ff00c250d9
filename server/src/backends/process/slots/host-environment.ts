/** The part of the host's environment that jobs get. */
export const HOST_ENVIRONMENT = {
  PATH: process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin",
  LANG: "C.UTF-8",
};

/** Starts a program where the job's own PATH may lead to no shell. */
export const SHELL = "/bin/sh";
