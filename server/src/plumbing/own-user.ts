import os from "node:os";

/**
 * The user of the operating system that this process runs as. The machine may know neither name nor home of the user:
 * containers and batch systems start processes under a bare number.
 */

/** Returns the user's name, or the number if the machine knows no name. */
export function userName(): string {
  try {
    return os.userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}

/** Thrown with a sentence if neither the environment nor the machine names a home folder of the user. */
export class NoHomeError extends Error {
  constructor(cause?: unknown) {
    super(
      `HOME is not set, and this machine knows no home folder of the user (${userName()}). ` +
        "Set HOME, or name a folder for the data with --data.",
      { cause },
    );
    this.name = "NoHomeError";
  }
}

/** Returns the user's home folder, or throws a `NoHomeError`. */
export function homeFolder({ HOME: home }: Readonly<Record<string, string | undefined>>): string {
  return home || homeOnMachine();
}

/** Returns whether neither the environment nor the machine names a home folder of the user. */
export function isHomeless(env: Readonly<Record<string, string | undefined>>): boolean {
  try {
    homeFolder(env);
    return false;
  } catch (error) {
    if (error instanceof NoHomeError) return true;
    throw error;
  }
}

function homeOnMachine(): string {
  let home: string;
  try {
    home = os.homedir();
  } catch (error) {
    throw new NoHomeError(error);
  }
  if (home === "") throw new NoHomeError();
  return home;
}
