#!/usr/bin/env bash
# Makes a Debian package that needs no Swift toolchain where it is installed: the Swift libraries are linked in.
# make-deb.sh [FOLDER]: the package goes there; default: the current folder's .build.
set -euo pipefail
cd "$(dirname "$0")/.."

out=${1:-.build}
mkdir -p "$out"
version=$(sed -n 's/.*static let text = "\(.*\)".*/\1/p' Sources/healthmd/CommandLineTool.swift)
architecture=$(dpkg --print-architecture)

swift build -c release --product healthmd --static-swift-stdlib --scratch-path .build/static

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
Tools/install.sh .build/static/release/healthmd "$root" /usr
strip --strip-unneeded "$root/usr/bin/healthmd"

# The Debian libraries that the program is linked with, as their packages are called on this machine.
libraries=$(objdump -p "$root/usr/bin/healthmd" | awk '/NEEDED/ {print $2}')
packages=()
for library in $libraries; do
    path=$(ldconfig -p | awk -v name="$library" '$1 == name {print $NF; exit}')
    [ -n "$path" ] || { echo "make-deb: $library is not a library of this system" >&2; exit 1; }
    packages+=("$(dpkg-query -S "*/$library" | head -1 | cut -d: -f1)")
done
depends=$(printf '%s\n' "${packages[@]}" | sort -u | paste -sd, | sed 's/,/, /g')

mkdir -p "$root/DEBIAN" "$root/usr/share/doc/healthmd"
cp LICENSE "$root/usr/share/doc/healthmd/copyright"
cp README.md "$root/usr/share/doc/healthmd/"
cat >"$root/DEBIAN/control" <<CONTROL
Package: healthmd
Version: $version
Architecture: $architecture
Maintainer: the healthmd authors <healthmd@localhost>
Depends: $depends
Section: utils
Priority: optional
Installed-Size: $(du -sk "$root/usr" | cut -f1)
Description: your Apple Health data, whole and verified, on machines that you own
 A receiver for health data from a phone or from an Apple Health export, an archive of sealed days, and a review of
 biomarkers. Everything stays on machines that you own.
CONTROL
find "$root" -type d -exec chmod 755 {} +
package="$out/healthmd_${version}_$architecture.deb"
dpkg-deb --root-owner-group --build "$root" "$package" >/dev/null
echo "$package ($(du -h "$package" | cut -f1)), depends on $depends"
