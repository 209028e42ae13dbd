#!/usr/bin/env bash
# Puts RabbitMQ 4 of Debian 13 in a folder of its own, with the Erlang and the C library that it was built for. The packages are unpacked, not
# installed, so nothing else on the system changes. install.sh --beside runs it.
#
# Tested on Debian 12, as root, on x86-64.
set -euo pipefail

readonly PRODUCT=RabbitMQ
readonly PROGRAM=rabbitmq-server
readonly BASE=/opt/perf-battle
readonly SUITE=trixie
readonly KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
# What Erlang is linked with, and the C library.
readonly LIBRARIES=(libc6 libgcc-s1 libstdc++6 libtinfo6 libssl3t64 zlib1g libzstd1 libsystemd0 libcap2)

# shellcheck source=infra/packages.sh
. "$(dirname "${BASH_SOURCE[0]}")/../packages.sh"

usage() {
  cat <<END
Usage: install.sh --beside

Unpacks RabbitMQ 4 and Erlang of Debian 13 in $BASE/rabbitmq-VERSION. Does nothing when they are there.
Needs Debian or Ubuntu, and root or sudo.

  --help    show this
END
}

installed_folder() {
  local folder
  for folder in "$BASE"/rabbitmq-4.*; do
    if [ -x "$folder/sbin/$PROGRAM" ]; then
      echo "$folder"
      return 0
    fi
  done
  return 1
}

is_installed() { installed_folder >/dev/null; }

version() { basename "$(installed_folder)" | sed -e 's/^rabbitmq-//'; }

install_product() {
  if [ "$(system)" != debian ]; then
    fail "this system is not supported ($(system)): unpack the archive of RabbitMQ 4, see https://www.rabbitmq.com/docs/install-generic-unix, and name its folder in --rabbitmq-home"
  fi
  need_root
  umask 022
  install_tools
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  unpack_packages
  local server folder
  server=$(echo "$work"/files/usr/lib/rabbitmq/lib/rabbitmq_server-*)
  [ -d "$server" ] || fail "Debian's package has no folder rabbitmq_server"
  folder=$BASE/rabbitmq-${server##*/rabbitmq_server-}
  mv "$work/files/usr/lib/erlang" "$server/erlang"
  mkdir "$server/erlang/libraries"
  cp -a "$work"/files/usr/lib/*-linux-gnu*/*.so* "$server/erlang/libraries"
  relocate "$server/erlang" "$folder/erlang"
  as_root mkdir -p "$BASE"
  # A whole folder appears at once, or none.
  local partial=$BASE/.partial-rabbitmq
  as_root rm -rf "$partial"
  as_root cp -r --preserve=mode,links "$server" "$partial"
  as_root rm -rf "$folder"
  as_root mv "$partial" "$folder"
}

install_tools() {
  local packages=()
  command -v patchelf >/dev/null || packages+=(patchelf)
  [ -e "$KEYRING" ] || packages+=(debian-archive-keyring)
  if [ ${#packages[@]} -eq 0 ]; then return; fi
  as_root env DEBIAN_FRONTEND=noninteractive dpkg --configure -a
  apt_get update
  apt_get install -y --no-install-recommends "${packages[@]}"
}

# With lists of packages and a state of its own, apt leaves the system's alone, and checks the signatures.
unpack_packages() {
  mkdir -p "$work"/{lists/partial,cache/archives/partial,packages,files}
  : >"$work/status"
  echo "deb [signed-by=$KEYRING] http://deb.debian.org/debian $SUITE main" >"$work/sources.list"
  own_apt -q update || fail "the list of packages of Debian $SUITE could not be fetched, see above"
  local erlang
  erlang=$(own_apt -s install "$PROGRAM" | awk '/^Inst erlang-/ {print $2}')
  # shellcheck disable=SC2086 # one word per package
  (cd "$work/packages" && own_apt -q download "$PROGRAM" $erlang "${LIBRARIES[@]}") ||
    fail "the packages of Debian $SUITE could not be fetched, see above"
  local package
  for package in "$work"/packages/*.deb; do dpkg-deb -x "$package" "$work/files"; done
}

own_apt() {
  apt-get -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State::lists="$work/lists" \
    -o Dir::State::status="$work/status" -o Dir::Cache="$work/cache" -o APT::Install-Recommends=false \
    -o APT::Sandbox::User="$(id -un)" "$@"
}

# relocate FOLDER PLACE: what is in FOLDER will run from PLACE, with its own loader and libraries.
relocate() {
  local place=$2 loader file
  loader=$(basename "$(echo "$1"/libraries/ld-linux*)")
  find "$1" -path "$1/libraries" -prune -o -type f \( -perm -u+x -o -name '*.so' \) -print | while read -r file; do
    case $(head -c 4 "$file" | tr -d '\0') in
      $'\177ELF') ;;
      *) continue ;;
    esac
    if patchelf --print-interpreter "$file" >/dev/null 2>&1; then
      patchelf --set-interpreter "$place/libraries/$loader" "$file"
    fi
    # Unlike RUNPATH, RPATH also holds for the libraries of libraries.
    patchelf --force-rpath --set-rpath "$place/libraries" "$file"
  done
  sed -i "s|ROOTDIR=/usr/lib/erlang|ROOTDIR=$place|" "$1"/bin/{erl,start} "$1"/erts-*/bin/{erl,start}
}

provide "$@"
