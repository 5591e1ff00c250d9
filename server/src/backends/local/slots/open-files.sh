# Functions that open the files of a job, for slots (slot.sh) and within the sandbox (open-inside.sh). Descriptor 6 is the log.

# Opens the files that the job reads and writes: $input, $output and $errors. Each stays in the workspace, which is the
# current folder: it is a regular file, and no part of its path is a link. A process that replaces a folder with a link at
# this very moment is not noticed. In the sandbox the link leads nowhere; without a wall that process has the same rights.
open_files() {
  if [ "$input" ]; then
    { is_inside "$input" && [ -f "$input" ] && exec <"$input"; } 2>/dev/null || cannot "read its standard input from" "$input"
  fi
  if [ "$output" ]; then
    { is_inside "$output" && is_own "$output" && exec >"$output"; } 2>/dev/null || cannot "write its standard output to" "$output"
  fi
  if [ "$errors" ] && [ "$errors" = "$output" ]; then
    exec 2>&1
  elif [ "$errors" ]; then
    { is_inside "$errors" && is_own "$errors" && exec 9>"$errors"; } 2>/dev/null || cannot "write its standard error to" "$errors"
    exec 2>&9 9>&-
  fi
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
