#!/usr/bin/env bash
# Installs Apptainer for the tests, in a folder below the cache. Takes about 20 seconds. Debian 12 and 13 have no package of Apptainer.
#
# The package is Debian's, from its unstable distribution, and needs a newer C library than this machine has: the library comes
# along, and only the two programs of Apptainer use it. Nothing on this machine changes. Prints the folder of the program.
set -euo pipefail
root="${XDG_CACHE_HOME:-$HOME/.cache}/reprise-clusters/apptainer"
packages=(apptainer libc6 libseccomp2 libsqlite3-0)

not_installed() {
  echo "Apptainer is not installed: $1." >&2
  exit 1
}
if [ -x "$root/usr/bin/apptainer" ] && "$root/usr/bin/apptainer" version > /dev/null 2>&1; then
  echo "$root/usr/bin"
  exit
fi
for tool in apt-get dpkg patchelf mksquashfs; do
  command -v "$tool" > /dev/null || not_installed "$tool is missing (apt-get install patchelf squashfs-tools)"
done

part="$root.part"
rm -rf "$root" "$part"
mkdir -p "$part/apt/lists/partial" "$part/apt/archives/partial" "$part/debs" "$part/tree"
# shellcheck disable=SC2016 # apt fills it in
mirror="$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2> /dev/null | grep -v security | head -n 1)"
[ -n "$mirror" ] || not_installed "apt has no archive of Debian"
echo "deb $mirror sid main" > "$part/apt/sources.list"
touch "$part/apt/status"
cat > "$part/apt/apt.conf" << CONF
Dir::State "$part/apt";
Dir::State::lists "$part/apt/lists";
Dir::State::status "$part/apt/status";
Dir::Cache "$part/apt";
Dir::Etc::sourcelist "$part/apt/sources.list";
Dir::Etc::sourceparts "-";
Acquire::Languages "none";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
APT::Sandbox::User "root";
CONF
(
  export APT_CONFIG="$part/apt/apt.conf"
  apt-get update -qq
  cd "$part/debs"
  apt-get download -qq "${packages[@]}"
) > "$part/log" 2>&1 || not_installed "the packages cannot be fetched (see $part/log)"
for package in "$part"/debs/*.deb; do dpkg --extract "$package" "$part/tree"; done

tree="$part/tree"
library="$(dirname "$(find "$tree/usr/lib" -name libc.so.6 | head -n 1)")"
loader="$(find "$library" -name 'ld-linux*' | head -n 1)"
# The paths below lead into the final folder.
for program in "$tree/usr/bin/apptainer" "$library/apptainer/bin/starter"; do
  patchelf --set-interpreter "$root/${loader#"$tree"/}" --force-rpath --set-rpath "$root/${library#"$tree"/}" "$program"
done
# Apptainer looks for settings and mount points next to the programs.
for place in usr usr/lib; do
  for name in etc var; do ln -sfn "$root/$name" "$tree/$place/$name"; done
done
# Apptainer unpacks a SIF file in a container, to which it cannot give all capabilities if this machine's root has not all.
sed -i 's/^root default capabilities = .*/root default capabilities = no/' "$tree/etc/apptainer/apptainer.conf"
mv "$tree" "$root"
rm -rf "$part"
"$root/usr/bin/apptainer" version > /dev/null || not_installed "the program in $root does not run"
echo "$root/usr/bin"
