/** The mode to create a file with; the process's umask takes its part away. */
export function modeOf(isExecutable: boolean): number {
  return isExecutable ? 0o777 : 0o666;
}

/** Whether anybody may execute a file of that mode. */
export function mayExecute(mode: number): boolean {
  return (mode & 0o111) !== 0;
}
