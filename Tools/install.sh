#!/usr/bin/env bash
# install.sh PROGRAM DESTDIR PREFIX: the program, its manual page, its completions, its service units.
set -euo pipefail
program=$1
destination=$2
prefix=$3
here=$(cd "$(dirname "$0")/.." && pwd)

install -D -m 755 "$program" "$destination$prefix/bin/healthmd"
install -D -m 644 "$here/packaging/man/healthmd.1" "$destination$prefix/share/man/man1/healthmd.1"

completions=$(mktemp -d)
trap 'rm -rf "$completions"' EXIT
for shell in bash zsh fish; do "$program" completion $shell >"$completions/$shell"; done
install -D -m 644 "$completions/bash" "$destination$prefix/share/bash-completion/completions/healthmd"
install -D -m 644 "$completions/zsh" "$destination$prefix/share/zsh/site-functions/_healthmd"
install -D -m 644 "$completions/fish" "$destination$prefix/share/fish/vendor_completions.d/healthmd.fish"

units="$destination$prefix/lib/systemd/system"
for unit in "$here"/packaging/systemd/*.service; do
    sed "s,@bindir@,$prefix/bin," "$unit" >"$completions/unit"
    install -D -m 644 "$completions/unit" "$units/$(basename "$unit")"
done
install -D -m 644 "$here/packaging/systemd/healthmd-.service.d/hardening.conf" \
    "$units/healthmd-.service.d/hardening.conf"
