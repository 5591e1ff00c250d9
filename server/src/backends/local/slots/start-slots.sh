# Starts slots (slot.sh), because a shell does that in a fraction of the time that a large server needs.
#   start-slots.sh ROOT BOOT-ID SLOTS [FILE]
# Slot k gets file descriptor 3 + k as its input and output, and no other. This shell exits as soon as all are started. The
# file puts them into a control group.
root=$1 boot=$2 slots=$3
exec 2>/dev/null
if [ "$4" ]; then echo 0 >"$4"; fi

# Closes the files that the server has inherited and the other slots' sockets: a slot must not see them.
close_all_but() {
  for open in /dev/fd/*; do
    open=${open##*/}
    if ((open > 2 && open != $1)); then eval "exec $open>&-"; fi
  done
}

for ((slot = 3; slot < 3 + slots; slot++)); do
  (
    close_all_but "$slot"
    eval "exec <&$slot >&$slot $slot>&-"
    exec "$BASH" --norc "${0%/*}/slot.sh" "$root" "$boot"
  ) &
done
