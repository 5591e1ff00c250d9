# shellcheck shell=bash disable=SC2154
# Runs the script of a job in an image, by the podman of a node. The lines before set image, pull (always, missing or never), record,
# script, and words: the options of `podman run`.

# Ends a job whose command has not started.
never() {
  echo "reprise: The node $(uname -n) cannot run the image $image: $*"
  exit 125
}

if ! command -v podman >/dev/null; then never "it has no podman in its PATH."; fi
if [ "$pull" = always ] || { [ "$pull" = missing ] && ! podman image exists "$image"; }; then
  problem=$(podman pull --quiet "$image" 2>&1 >/dev/null) || never "${problem##*$'\n'}"
fi
# Another pull may give the name to another image: the inspected one runs.
found=$(podman image inspect --format '{{.Id}} {{.Digest}}' "$image" 2>&1) || never "${found##*$'\n'}"
read -r id digest <<<"$found"
printf %s "$digest" >"$record/image.own"
mv "$record/image.own" "$record/image"
# The cluster may kill the supervisor before it has ended the container, whose processes are not children of the job.
# shellcheck disable=SC2016 # the guard expands its own arguments
guard='while kill -0 "$1" 2>/dev/null; do sleep 1; done; sh "$2/tidy"'
(setsid sh -c "$guard" guard "$PPID" "$record" </dev/null >/dev/null 2>&1 &)
# The user of the container without rights is the user of the job on the node, so that the files belong to this user.
exec podman run --rm --pull=never --log-driver=none --no-healthcheck --network=host --cap-drop=all \
  --security-opt=no-new-privileges --security-opt=label=disable --user=0:0 '--env=SLURM*' "${words[@]}" --entrypoint=bash "$id" "$script"
