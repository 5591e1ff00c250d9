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
  reader_pid= printed= zero=
  exec 6>&-
  [ -p /proc/self/fd/7 ] || return
  if [ "$counts_reads" ] && read_short; then
    printf %s "$printed" >&5 || output_lost
  else
    start_reader
  fi
  exec 7<&-
}

# Sets `printed` to the first bytes of the output, and `zero` to a zero byte, escaped, if one follows: `read` stops there and
# drops it. Succeeds if the output has ended. If the time is up just as a zero byte arrives, bash drops the byte and
# reports only the time. The kernel's count of the bytes that this process has read shows the byte.
read_short() {
  local before bytes_read counts
  count_reads
  before=$((bytes_read + ${#counts}))
  IFS= read -r -d '' -n "$short_bytes" -t "$short_seconds" printed <&7
  case $? in
    0) ((${#printed} == short_bytes)) || zero='\0' ;;
    1) return 0 ;;
    *) count_reads && ((bytes_read - before == ${#printed})) || zero='\0' ;;
  esac
  return 1
}

# Sets `bytes_read` to the number of bytes that this process, without its children, has read before, and `counts` to the text
# read for that.
count_reads() {
  IFS= read -r -d '' counts </proc/thread-self/io
  bytes_read=${counts#rchar: }
  bytes_read=${bytes_read%%$'\n'*}
}

# True if the kernel counts as expected, which not every container shows. Any output then gets a reader at once.
can_count_reads() {
  local counts bytes_read before
  [ "$has_pipes" ] && [ -r /proc/thread-self/io ] && count_reads || return
  before=$((bytes_read + ${#counts}))
  count_reads && ((bytes_read == before))
}
counts_reads=
if can_count_reads; then counts_reads=yes; fi

start_reader() {
  exec 3<&7
  open_pipe
  exec 8<&7 9>/proc/self/fd/7
  read_pipe <&3 >&5 3<&- 4>&- 5>&- 7<&- 8<&- &
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
