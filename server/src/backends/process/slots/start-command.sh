# Functions by which a slot (slot.sh) starts the command of a job. `begin` runs in the process that becomes the command.

# Becomes the command. If the supervisor was killed and the job declared lost at
# this very moment, the end is in the record before the group: the command must not start then. `given`, which comes
# with the order, exports the job's variables; after it, this script's own values are in positional parameters only.
begin() {
  printf '\ngroup %s .\n' "${BASHPID:-$(sh -c 'echo $PPID')}" >&4 || exit 126
  is_own "$folder/record" || exit
  IFS= read -r -d '' lines <"$folder/record"
  case $lines in *$'\nended '*) exit ;; esac
  cd -- "$workspace" || exit 126
  exec 4>&-
  # Without its group the job still has the limits that the keeper enforces.
  for file in "${groups[@]}"; do { echo 0 >"$file"; } 2>/dev/null; done
  prepare "$@" 6>&2
  "$@"
}

# prepare HOW…
# Gets the job's ticket and proxy, opens its files, enters its folder and finds its program. Descriptor 6 is the log, which gets the
# reason if one of these fails.
prepare() {
  if ((${#ticket[@]})); then get_ticket; fi
  if ((${#proxy[@]})); then get_proxy; fi
  if [ "$input$output$errors" ]; then open_files; fi
  if [ "$working" ]; then enter "$working"; fi
  case $1 in as_argv*) find_or_exit "$2" "$3" ;; esac
}

# Gets the ticket. The process that renews it is in the group of the job, with which it ends, and no child of the command.
get_ticket() {
  renew_ticket >&6 2>&1 || {
    printf 'reprise: The job cannot get a Kerberos ticket for %s.\n' "${ticket[2]}" >&6
    exit 126
  }
  (while sleep "${ticket[4]}"; do renew_ticket; done </dev/null >&6 2>&1 21>&- 22>&- &)
}

# Puts a new ticket in the place of the old one at once, because the job may be reading it.
renew_ticket() (
  [ ! "${ticket[5]}" ] || export KRB5_CONFIG=${ticket[5]}
  "${ticket[0]}" -k -t "${ticket[1]}" -c "${ticket[3]}.new" "${ticket[2]}" &&
    mv -f -- "${ticket[3]}.new" "${ticket[3]}"
)

# Gets the proxy, like the ticket.
get_proxy() {
  renew_proxy >&6 2>&1 || {
    printf 'reprise: The job cannot get a VOMS proxy from %s.\n' "${proxy[4]}" >&6
    exit 126
  }
  ((proxy[3])) || return 0
  (while sleep "${proxy[3]}"; do renew_proxy; done </dev/null >&6 2>&1 21>&- 22>&- &)
}

# Puts a new proxy in the place of the old one. The command says much even if it succeeds: its words matter after a failure.
renew_proxy() (
  umask 077
  said=$("${proxy_command[@]}" <"${proxy[2]}" 2>&1) &&
    if [ "${proxy[1]}" ]; then chown -- "${proxy[1]}" "${proxy[0]}.new"; fi &&
    mv -f -- "${proxy[0]}.new" "${proxy[0]}" && return
  printf '%s\n' "$said"
  return 1
)

enter() {
  { is_inside "$1" && cd -- "./$1"; } 2>/dev/null || cannot "start in" "$1"
}

in_bash() {
  set -- "$BASH" "$1"
  given
  unset OLDPWD
  exec -a bash -- "$1" -c "$2"
}

# Runs a command that is too long for an argument.
in_bash_from_file() {
  set -- "$BASH" "$1"
  given
  unset OLDPWD
  exec -a bash -- "$1" "$2"
}

# Sets variables whose names have a meaning for this shell, so that it cannot just export them.
with_env() {
  exec env -i "$@"
}

# as_argv SEARCH-PATH PROGRAM ARGUMENT…
# Runs the program that `prepare` has found, without a shell.
as_argv() {
  set -- "$program" "${@:2}"
  given
  unset OLDPWD
  _=$1 exec -a "$2" -- "$1" "${@:3}"
}

# as_argv_with_env SEARCH-PATH PROGRAM ENV-ARGUMENT…
# The same if `env` has to set the variables.
as_argv_with_env() {
  with_env "${@:3}"
}

# Sets `program` to the file that the name means for this job. Ends the job if there is none, as a shell would.
find_or_exit() {
  program=$2
  case $2 in
    */*) ;;
    *) find_in "$1" "$2" ;;
  esac
  if [ ! "$program" ]; then
    printf 'reprise: %s: command not found\n' "$2" >&6
    exit 127
  elif [ ! -e "$program" ]; then
    printf 'reprise: %s: No such file or directory\n' "$2" >&6
    exit 127
  elif [ -d "$program" ]; then
    printf 'reprise: %s: Is a directory\n' "$2" >&6
    exit 126
  elif [ ! -x "$program" ]; then
    printf 'reprise: %s: Permission denied\n' "$2" >&6
    exit 126
  fi
}

# Sets `program` to the first executable file of that name in the folders of a search path, else to nothing.
find_in() {
  program= rest=$1:
  while [ "$rest" ]; do
    program=${rest%%:*} rest=${rest#*:}
    program=${program:-.}/$2
    if [ "$2" ] && [ -f "$program" ] && [ -x "$program" ]; then return; fi
  done
  program=
}

# Runs a command of plain words as `bash -c` would: in place of the shell.
as_program() {
  given
  unset OLDPWD
  _=$1 exec -a "$2" -- "$1" "${@:3}"
}

# Finds a binary program. Builtins, scripts and missing commands are left to bash, which runs them or reports the error.
find_program() {
  case $1 in
    /*) program=$1 ;;
    */*) program=$workspace/${working:+$working/}$1 ;;
    *)
      hash -r
      hash -- "$1" 2>/dev/null || return
      program=${BASH_CMDS[$1]}
      ;;
  esac
  [ -f "$program" ] && [ -x "$program" ] && IFS= read -r -N 4 magic 2>/dev/null <"$program" && [ "$magic" = $'\x7fELF' ]
}

# Runs the program of a wall, which runs the command. `program` comes with the order.
as_walled() {
  given
  unset OLDPWD
  program
}

# with_checked COUNT FOLDER… HOW…
# Refuses parts of the workspace that a link may lead out of: a wall's program would follow it.
with_checked() {
  for folder in "${@:2:$1}"; do
    (cd -- "$workspace" && is_inside "$folder") || {
      printf 'reprise: The job cannot have %s: it is a link, or behind one.\n' "$folder"
      exit 126
    }
  done
  "${@:2 + $1}"
}

# with_filter FILE HOW…
# Opens the filter of system calls, which a wall's program reads from descriptor 9.
with_filter() {
  exec 9<"$1" || exit 126
  "${@:2}"
}

# as_contained FILE VARIABLES
# Runs the program of a container runtime, which reads the job's variables from a file. The slot writes it, because
# only one slot ever runs the job. `program` comes with the order.
as_contained() {
  given
  unset OLDPWD
  [ -d "${1%/*}" ] || mkdir -m 700 -- "${1%/*}" || exit 126
  printf %s "$2" >"$1" || exit 126
  program
}

# Runs `true` or `false`, for which bash would not start another process.
as_builtin() {
  builtin "$1"
}
