# Functions that open the files of a job, for slots (slot.sh) and within the sandbox (open-inside.sh). Descriptor 6 is the log.

# Opens the files that the job reads and writes: $input, $output and $errors. Each stays in the workspace, which is the
# current folder: it is a regular file, and no part of its path is a link, even if another process puts one there at this
# very moment.
open_files() {
  if [ "$input" ]; then
    open_by read_input "$input" || cannot "read its standard input from" "$input"
  fi
  if [ "$output" ]; then
    open_by write_output "$output" || cannot "write its standard output to" "$output"
  fi
  if [ "$errors" ] && [ "$errors" = "$output" ]; then
    exec 2>&1
  elif [ "$errors" ]; then
    open_by write_errors "$errors" || cannot "write its standard error to" "$errors"
    exec 2>&9 9>&-
  fi
}

# open_by FUNCTION PATH
# Opens a file by a function that runs in the file's own folder.
open_by() {
  local back=$PWD code
  { enter_folder_of "$2" && "$1" "./${2##*/}"; } 2>/dev/null
  code=$?
  set +C
  cd -- "$back" || exit 126
  return "$code"
}

# Enters the folders of a path one by one. The folder above the next one is the one before it, unless a link has led
# elsewhere.
enter_folder_of() {
  local part rest=$1
  while [[ $rest == */* ]]; do
    part=${rest%%/*} rest=${rest#*/}
    exec 8<. && ! [ -L "./$part" ] && cd -- "./$part" || return
    if [ -e /proc/self/fd/8 ] && ! [ .. -ef /proc/self/fd/8 ]; then return 1; fi
    exec 8<&-
  done
}

# Nothing is read before the file is certain to be the one of that name: opening it follows a link.
read_input() {
  [ -f "$1" ] && ! [ -L "$1" ] && exec <"$1" && cd -P . || return
  ! [ -e /proc/self/fd/0 ] || [ "$(command -p readlink /proc/self/fd/0)" = "${PWD%/}/${1#./}" ]
}

# With noclobber, opening a file makes it, and follows no link.
write_output() {
  remove_own "$1" && set -C && exec >"$1"
}

write_errors() {
  remove_own "$1" && set -C && exec 9>"$1"
}

# Removes the file of an earlier attempt. Fails if something else is there.
remove_own() {
  is_own "$1" || return
  ! [ -e "$1" ] || command -p rm -f -- "$1"
}

# True if no part of the path is a link. The path is relative to the current folder, and plain.
is_inside() {
  part= rest=$1/
  while [ "$rest" ]; do
    part=$part${rest%%/*} rest=${rest#*/}
    if [ -L "./$part" ]; then return 1; fi
    part=$part/
  done
}

# True if the file is absent or a regular file. A job can put anything in its place; opening a named pipe would block.
is_own() {
  [ -f "$1" ] && ! [ -L "$1" ] || ! [ -e "$1" ] && ! [ -L "$1" ]
}

# Says in the log why the job does not start, and ends it as a shell ends a command that cannot be executed.
cannot() {
  why="it does not exist, is not accessible, or is of another kind"
  is_inside "$2" || why="it is a link, or behind one"
  printf 'reprise: The job cannot %s %s: %s.\n' "$1" "$2" "$why" >&6
  exit 126
}
