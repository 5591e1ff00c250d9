# Functions by which a slot (slot.sh) brings the output of a job into its log, which is descriptor 5.

# A command that opens /dev/stdout again with `>` truncates it if it is a file. Jobs print into a pipe, which cannot be
# truncated. Where /dev/stdout is not a link into /proc, as on macOS, opening it truncates nothing.
has_pipes=
if [ -d /proc/self/fd ] && ((BASH_VERSINFO[0] >= 4)); then has_pipes=yes; fi
# Seconds to wait for the reader, which takes longer only if another process still holds the pipe open.
reader_seconds_max=2
# Limits on the output that a slot reads itself, byte by byte: 256 bytes take it 0.2 ms.
short_bytes=256 short_seconds=0.1

# Opens descriptor 6, to which the job prints, and 7 if that is a pipe: the end to read. The builtins `true` and `false`
# open no file, and need no pipe. Neither does a job whose whole output goes to files.
open_output() {
  if [ "$has_pipes" ] && [ "$1" != as_builtin ] && ! { [ "$output" ] && [ "$errors" ]; }; then
    open_pipe
    exec 6>/proc/self/fd/7
  else
    exec 6>&5 7<&-
  fi
}

# Makes descriptor 7 the end to read of a new pipe that nobody else has: a job may pass on its output to a process that
# outlives it. This shell makes a pipe without another process for a short text in place of a file; an older one makes
# a file.
open_pipe() {
  exec 7<<<''
  if [ -p /proc/self/fd/7 ]; then read -r _ <&7; else exec 7< <(:); fi
}

# Copies a short output itself, because most jobs print little and end soon: a reader costs a fork and the start of `cat`.
# Starts a reader for the rest of any other output. Descriptor 8 shows when the reader has ended.
copy_output() {
  reader_pid=
  exec 6>&-
  [ -p /proc/self/fd/7 ] || return
  # Sets `printed` to the bytes so far in any case. The status is 1 at the end of the output.
  IFS= read -r -d '' -n "$short_bytes" -t "$short_seconds" printed <&7
  case $? in
    0) start_reader "$((${#printed} < short_bytes))" ;;
    1) printf %s "$printed" >&5 || output_lost ;;
    *) start_reader 0 ;;
  esac
  exec 7<&-
}

# start_reader HAS-ZERO
# HAS-ZERO is 1 if a zero byte follows what has been read: `read` stops there and drops it.
start_reader() {
  exec 3<&7
  open_pipe
  exec 8<&7 9>/proc/self/fd/7
  (read_pipe "$1") <&3 >&5 3<&- 4>&- 5>&- 7<&- 8<&- &
  reader_pid=$!
  exec 3<&- 9>&-
}

read_pipe() {
  printf %s "$printed" || exit
  if (($1)); then printf '\0' || exit; fi
  exec cat
}

output_lost() {
  printf '\nmarked output-lost .\n' >&4
}

# Waits until all output is in the log. A process that has left the job's group may continue to print.
close_output() {
  if [ "$reader_pid" ]; then
    read -r -t "$reader_seconds_max" _ <&8
    (($? > 128)) || wait "$reader_pid" || output_lost
    exec 8<&-
  fi
}
