# Starts slots (slot.sh), because a shell does that in a fraction of the time that a large server needs.
#   start-slots.sh ROOT BOOT-ID FILE…
# Each file puts a slot into its control group; an empty one stands for no group. Slot k gets file descriptor 3 + k as its
# input and output, and no other. This shell exits as soon as all are started.
root=$1 boot=$2
files=("${@:3}")
exec 2>/dev/null

# Closes the files that the server has inherited and the other slots' sockets: a slot must not see them.
close_all_but() {
  for open in /dev/fd/*; do
    open=${open##*/}
    if ((open > 2 && open != $1)); then eval "exec $open>&-"; fi
  done
}

for ((slot = 3; slot < 3 + ${#files[@]}; slot++)); do
  (
    if [ "${files[slot - 3]}" ]; then echo 0 >"${files[slot - 3]}"; fi
    close_all_but "$slot"
    eval "exec <&$slot >&$slot $slot>&-"
    exec "$BASH" --norc "${0%/*}/slot.sh" "$root" "$boot"
  ) &
done
