# Functions by which a slot (slot.sh) brings the output of a job into its log, which is descriptor 5.

# A command that opens /dev/stdout again with `>` truncates it if it is a file. Jobs print into a pipe, which cannot be
# truncated. Where /dev/stdout is not a link into /proc, as on macOS, opening it truncates nothing.
has_pipes=
if [ -d /proc/self/fd ] && ((BASH_VERSINFO[0] >= 4)); then has_pipes=yes; fi
# Seconds to wait for the reader, which takes longer only if another process still holds the pipe open.
reader_seconds_max=2
# Limit on the output that a slot reads itself: a byte takes it 12 µs of processor time, and `cat` takes 1.5 ms in all.
short_bytes=100
# The seconds between looks for output, 44 ms together. A job that ends in a pause waits for the next look.
pauses=(0.0003 0.0004 0.0005 0.0007 0.0009 0.001 0.002 0.002 0.003 0.004 0.005 0.006 0.008 0.01)

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

# Opens descriptor 23, a pipe in which nothing ever arrives: waiting for it is a pause without another process.
open_pauses() {
  open_pipe
  exec 23<>/proc/self/fd/7 7<&-
}
if [ "$has_pipes" ]; then open_pauses; fi

# Copies a short output itself, because most jobs print little and end soon: a reader costs a fork and the start of `cat`.
# Starts a reader for the rest of any other output. Descriptor 8 shows when the reader has ended.
copy_output() {
  reader_pid=
  exec 6>&-
  [ -p /proc/self/fd/7 ] || return
  if read_short; then
    printf %s "$printed" >&5 || output_lost
  else
    start_reader
  fi
  exec 7<&-
}

# Sets `printed` to the first bytes of the output, and `zero` to a zero byte, escaped, if one follows. Succeeds if the output
# has ended. Only bytes that have arrived are read, without a time limit: where the limit of `read` passes just as a zero
# byte arrives, bash drops the byte. A process that outlives the job may keep the pipe open, so `read` must not wait either.
read_short() {
  local pause byte
  printed= zero=
  for pause in "${pauses[@]}"; do
    # This is also true at the end of the output.
    while read -r -t 0 -u 7; do
      IFS= read -r -d '' -n 1 -u 7 byte || return 0
      printed+=$byte
      if [ ! "$byte" ]; then zero='\0'; fi
      if [ "$zero" ] || ((${#printed} >= short_bytes)); then return 1; fi
    done
    read -r -t "$pause" -u 23
  done
  return 1
}

start_reader() {
  exec 3<&7
  open_pipe
  exec 8<&7 9>/proc/self/fd/7
  read_pipe <&3 >&5 3<&- 4>&- 5>&- 7<&- 8<&- 23<&- &
  reader_pid=$!
  exec 3<&- 9>&-
}

read_pipe() {
  printf "%s$zero" "$printed" || exit
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
