# Starts slots (slot.sh), because a shell does that in a fraction of the time that a large server needs.
#   start-slots.sh ROOT BOOT-ID [JOIN JOIN TIME]…
# There are three words for each slot: two files by which it joins its control groups, and the one that says how much
# processor time they have used. An empty word stands for none. Slot k gets file descriptor 3 + k as its input and
# output, and no other. This shell exits as soon as all are started.
root=$1 boot=$2
groups=("${@:3}")

# Closes the files that the server has inherited and the other slots' sockets: a slot must not see them.
close_all_but() {
  for open in /dev/fd/*; do
    open=${open##*/}
    if ((open > 2 && open != $1)); then eval "exec $open>&-"; fi
  done
}

for ((slot = 3; slot < 3 + ${#groups[@]} / 3; slot++)); do
  (
    own=("${groups[@]:(slot - 3) * 3:3}")
    for file in "${own[@]:0:2}"; do
      if [ "$file" ]; then echo 0 >"$file"; fi
    done
    close_all_but "$slot"
    eval "exec <&$slot >&$slot $slot>&-"
    exec "$BASH" --norc "${0%/*}/slot.sh" "$root" "$boot" "${own[2]}"
  ) &
done
