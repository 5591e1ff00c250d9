/**
 * bash gives these variables a special meaning, or forbids setting them, and therefore cannot just export
 * them.
 */
const SPECIAL =
  /^(BASH|COMP_|EPOCH|HIST|LC_|OPT|(COPROC|DIRSTACK|ENV|EUID|EXECIGNORE|FIGNORE|FUNCNAME|FUNCNEST|GLOBIGNORE|GLOBSORT|GROUPS|IFS|IGNOREEOF|LANG|LINENO|MAPFILE|OLDPWD|PIPESTATUS|POSIXLY_CORRECT|PPID|PS4|PWD|RANDOM|REPLY|SECONDS|SHELLOPTS|SHLVL|SRANDOM|TEXTDOMAIN|TEXTDOMAINDIR|TMOUT|UID|_)$)/;

/**
 * The variables that the C library ignores in set-user-ID programs, because they make a program load code or files. A
 * user can give a job any of them, and they must not reach a program in front of the wall.
 */
const UNSAFE =
  /^(LD_|MALLOC_|(GCONV_PATH|GETCONF_DIR|GLIBC_TUNABLES|HOSTALIASES|LOCALDOMAIN|LOCPATH|NIS_PATH|NLSPATH|RESOLV_HOST_CONF|RES_OPTIONS|TMPDIR|TZDIR)$)/;

export function isSpecial(name: string): boolean {
  return SPECIAL.test(name);
}

/**
 * Returns whether a variable may be in the environment of a wall's program. The others are set for the command alone.
 */
export function isInherited(name: string): boolean {
  return !isSpecial(name) && !UNSAFE.test(name);
}
