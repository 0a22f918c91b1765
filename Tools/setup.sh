#!/usr/bin/env bash
# Installs the Debian packages that the build needs and this machine lacks, and says which.
set -euo pipefail

packages=(
    libssl-dev           # libcrypto: bulk hashing and authenticated encryption
    libsodium-dev        # key agreement, signatures, random numbers, erased memory
    libmicrohttpd-dev    # control API, archive service
    libsqlite3-dev       # journals, jobs, day store
    zlib1g-dev           # deflate
    libcurl4-openssl-dev # HTTP client
    pkg-config
    python3              # demo, checks and test data
    openssl
)

if ! command -v swift >/dev/null; then
    echo "setup: the Swift toolchain (6.2 or later) is not on PATH; install it from swift.org, then run this again" >&2
    exit 1
fi
if ! command -v dpkg-query >/dev/null; then
    echo "setup: this is not a Debian system; install the equivalents of: ${packages[*]}" >&2
    exit 0
fi

missing=()
for package in "${packages[@]}"; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    if [ "$state" != installed ]; then
        # A python3 or openssl of the machine's own is as good as Debian's.
        if [[ "$package" == python3 || "$package" == openssl ]] && command -v "$package" >/dev/null; then
            continue
        fi
        missing+=("$package")
    fi
done
if [ ${#missing[@]} -eq 0 ]; then
    echo "setup: all ${#packages[@]} packages are there"
    exit 0
fi

echo "setup: installing ${missing[*]}"
run=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
        echo "setup: not root and no sudo; as root run: apt-get install -y ${missing[*]}" >&2
        exit 1
    }
    run=(sudo)
fi
"${run[@]}" apt-get update -qq
DEBIAN_FRONTEND=noninteractive "${run[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}"
