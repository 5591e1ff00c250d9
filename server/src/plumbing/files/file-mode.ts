/** Returns the mode to create a file with, before the process's umask is applied. */
export function modeOf(isExecutable: boolean): number {
  return isExecutable ? 0o777 : 0o666;
}

/** Returns whether any user may execute a file of that mode. */
export function mayExecute(mode: number): boolean {
  return (mode & 0o111) !== 0;
}
