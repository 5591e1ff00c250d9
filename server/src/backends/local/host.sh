# The job host: starts slots (slot.sh), because a shell does that in a fraction of the time that a large server needs.
#   host.sh ROOT BOOT-ID SLOTS
# Slot k gets file descriptor 3 + k as its input and output, and nothing else. The host leaves at once.
root=$1 boot=$2 slots=$3
for ((slot = 3; slot < 3 + slots; slot++)); do
  (
    for ((other = 3; other < 3 + slots; other++)); do
      if ((other != slot)); then eval "exec $other>&-"; fi
    done
    eval "exec <&$slot >&$slot $slot>&-"
    exec "$BASH" --norc "${0%/*}/slot.sh" "$root" "$boot"
  ) &
done
