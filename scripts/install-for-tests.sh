#!/usr/bin/env bash
# Installs what `npm test` needs on Debian or Ubuntu, unless it is installed already: the brokers, and the programs with
# which tests create hosts, disks and environments. Needs root or sudo only when something is missing. Programs from PyPI,
# the packages of an example and a bare Debian are kept in ~/.cache/perf-battle-tests, which can be deleted.
# `npm test` runs it first. It has no options.
set -euo pipefail
cd "$(dirname "$0")/.."

# sshd, ip and others are in folders that a user's PATH may not contain.
export PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"

# What the tests need, and the package that has it: a program, a Python module (py:), a file, or any Chromium or Chrome.
readonly PARTS='
ssh openssh-client
ssh-keygen openssh-client
sshd openssh-server
ip iproute2
tc iproute2
ss iproute2
tcpdump tcpdump
socat socat
strace strace
nsenter util-linux
unshare util-linux
setpriv util-linux
flock util-linux
taskset util-linux
mount mount
hostname hostname
ps procps
tar tar
debootstrap debootstrap
python3 python3
py:ensurepip python3-venv
cc gcc
/usr/include/stdio.h libc6-dev
go golang-go
cargo cargo-web
mono mono-runtime
mcs mono-mcs
/usr/lib/mono/4.5/RabbitMQ.Client.dll libmono-rabbitmq4.0-cil
/usr/lib/mono/4.5/System.Json.dll libmono-system-json4.0-cil
/etc/ssl/certs/ca-certificates.crt ca-certificates
zsh zsh
fish fish
groff groff-base
browser chromium-headless-shell
'

readonly CACHE=${XDG_CACHE_HOME:-~/.cache}/perf-battle-tests
readonly REQUIREMENTS=scripts/requirements-for-tests.txt
readonly EXAMPLE=examples/adapters/2016
readonly MIRROR=http://deb.debian.org/debian

readonly POLICY=/usr/sbin/policy-rc.d
readonly POLICY_MARK='# Written by perf-battle while it installs what its tests need.'

main() {
  local script
  for script in infra/*/install.sh; do bash "$script"; done
  bash infra/rabbitmq/install.sh --beside
  local packages
  packages=$(missing_packages)
  if [ -n "$packages" ]; then
    # shellcheck disable=SC2086 # one word per package
    install $packages
    packages=$(missing_packages)
    [ -z "$packages" ] || fail "these packages were installed, but the programs or files that the tests need from them were not found: $packages"
  fi
  mkdir -p "$CACHE"
  # Another run may be doing the same.
  exec 9>"$CACHE/lock"
  flock 9
  make_python "$CACHE/python-$(sha256sum "$REQUIREMENTS" | cut -c 1-12)"
  make_example "$CACHE/2016-$(sha256sum "$EXAMPLE/package-lock.json" | cut -c 1-12)"
  make_debian "$CACHE/debian-bookworm.tar"
  echo 'Everything that the tests need is installed'
}

missing_packages() {
  local part package
  echo "$PARTS" | while read -r part package; do
    if [ -n "$part" ] && ! is_there "$part"; then echo "$package"; fi
  done | sort -u | tr '\n' ' '
}

is_there() {
  case $1 in
    py:*) python3 -c "import ${1#py:}" >/dev/null 2>&1 ;;
    /*) [ -e "$1" ] ;;
    browser) command -v chromium-headless-shell chromium google-chrome google-chrome-stable >/dev/null ;;
    *) command -v "$1" >/dev/null ;;
  esac
}

# No service is started or enabled: the tests start their own sshd and brokers.
install() {
  command -v apt-get >/dev/null ||
    fail "the tests need $* (names of Debian's packages). This script supports only Debian and Ubuntu. Elsewhere, use npm run test:unit"
  deny_service_starts
  apt_get update
  apt_get install -y --no-install-recommends "$@"
  allow_service_starts
  if [ -d /run/systemd/system ]; then
    case " $* " in *' openssh-server '*) as_root systemctl disable --quiet ssh.service ssh.socket || true ;; esac
  fi
}

apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 apt-get -q -o DPkg::Lock::Timeout=300 "$@" ||
    fail "apt-get $1 failed, see above"
}

# An existing policy belongs to the administrator and stays unchanged.
deny_service_starts() {
  if [ -e "$POLICY" ]; then return; fi
  trap allow_service_starts EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  printf '#!/bin/sh\n%s\nexit 101\n' "$POLICY_MARK" | as_root tee "$POLICY" >/dev/null
  as_root chmod 755 "$POLICY"
}

allow_service_starts() {
  if grep -qsF "$POLICY_MARK" "$POLICY"; then as_root rm -f "$POLICY"; fi
}

# The last file to be written shows that the folder is complete.
make_python() {
  if [ -e "$1/complete" ]; then return; fi
  rm -rf "$1"
  python3 -m venv "$1"
  # What is imported is compiled then: most of what is installed never is.
  "$1/bin/python" -m pip install --quiet --no-compile --disable-pip-version-check -r "$REQUIREMENTS" ||
    fail 'programs from PyPI could not be installed, see above'
  touch "$1/complete"
}

make_example() {
  if [ -e "$1/complete" ]; then return; fi
  rm -rf "$1"
  mkdir "$1"
  cp "$EXAMPLE"/package*.json "$1"
  npm ci --prefix "$1" --ignore-scripts --no-audit --no-fund --silent ||
    fail "the packages of $EXAMPLE could not be installed, see above"
  touch "$1/complete"
}

make_debian() {
  if [ -e "$1" ]; then return; fi
  local folder
  folder=$(mktemp -d)
  as_root debootstrap --variant=minbase bookworm "$folder/debian" "$MIRROR" >"$folder/log" 2>&1 ||
    { cat "$folder/log" >&2 && fail "debootstrap failed, see above. It needs a connection to $MIRROR"; }
  as_root tar -C "$folder/debian" -cf - . >"$1.part"
  mv "$1.part" "$1"
  as_root rm -rf "$folder"
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "packages are missing, and installing them needs root or sudo. Run as root: bash $(pwd)/scripts/install-for-tests.sh"
  fi
}

fail() {
  echo "install-for-tests.sh: $1" >&2
  exit 1
}

main
