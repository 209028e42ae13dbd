#!/usr/bin/env bash
# Installs the NATS server unless it is installed already. See --help.
#
# Tested on Debian 12. Not tested: Ubuntu (the same steps), Fedora and macOS. It needs only bash 3.2, the version of macOS.
set -euo pipefail

readonly RELEASES=https://github.com/nats-io/nats-server/releases
readonly POLICY=/usr/sbin/policy-rc.d
readonly POLICY_MARK='# Written by perf-battle while it installs the NATS server.'

# A user's PATH may lack the folders of system programs and those of Homebrew.
export PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/opt/homebrew/bin"

main() {
  case ${1-} in
    -h | --help) usage && exit 0 ;;
  esac
  if [ $# -gt 0 ]; then usage >&2 && fail_with 2 "unknown option: $1"; fi
  if is_installed; then
    echo "NATS server $(version) is already installed"
  else
    install_nats
    is_installed || fail 'the package was installed, but nats-server was not found afterwards'
    echo "NATS server $(version) is installed"
  fi
}

usage() {
  cat <<'END'
Usage: install.sh

Installs the NATS server on Debian, Ubuntu, Fedora or macOS (Homebrew).
Does nothing when it is installed already. Needs root or sudo, except on macOS.

The service is neither started nor enabled: perf-battle starts private servers.
Amazon Linux has no package of it; see https://github.com/nats-io/nats-server/releases

  --help    show this
END
}

is_installed() {
  command -v nats-server >/dev/null || return 1
  # After an interruption a package can be unpacked but not configured.
  command -v dpkg-query >/dev/null || return 0
  # shellcheck disable=SC2016 # the braces are dpkg's
  case $(dpkg-query -W -f '${db:Status-Status}' nats-server 2>/dev/null) in
    '' | installed | not-installed | config-files) return 0 ;;
    *) return 1 ;;
  esac
}

version() {
  nats-server --version | sed -e 's/^nats-server: v//'
}

install_nats() {
  case $(system) in
    debian) install_with_apt ;;
    fedora) install_with_dnf ;;
    macos) install_with_brew ;;
    *) fail "no package of the NATS server is known for this system ($(system)): put the program nats-server of $RELEASES on PATH" ;;
  esac
}

system() {
  if [ "$(uname -s)" = Darwin ]; then
    echo macos
    return
  fi
  (
    ID='' ID_LIKE='' VERSION_ID=''
    # shellcheck disable=SC1091
    if [ -r /etc/os-release ]; then . /etc/os-release; fi
    case " $ID $ID_LIKE " in
      *' debian '* | *' ubuntu '*) echo debian ;;
      ' fedora '*) echo fedora ;;
      *) echo "${ID:-$(uname -s)} $VERSION_ID" ;;
    esac
  )
}

install_with_apt() {
  need_root
  deny_service_starts
  # apt refuses to work until an interrupted installation is finished.
  as_root env DEBIAN_FRONTEND=noninteractive dpkg --configure -a
  apt_get update
  apt_get install -y --no-install-recommends nats-server
  allow_service_starts
  # Otherwise the service would start at the next boot.
  if command -v systemctl >/dev/null; then as_root systemctl disable nats-server >/dev/null 2>&1 || true; fi
}

apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 apt-get -q -o DPkg::Lock::Timeout=300 "$@" ||
    fail "apt-get $1 failed, see above"
}

# Debian starts a service when it installs it, unless a policy denies that. An existing policy stays unchanged.
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

# Not tested. Not every release of Fedora has the package.
install_with_dnf() {
  need_root
  as_root dnf install -y nats-server || fail "dnf has no package nats-server: put the program of $RELEASES on PATH"
}

# Not tested. Homebrew refuses to run as root.
install_with_brew() {
  command -v brew >/dev/null || fail 'Homebrew is not installed: see https://brew.sh'
  [ "$(id -u)" != 0 ] || fail 'Homebrew does not work as root: run this as an ordinary user'
  brew install nats-server || fail 'brew install failed, see above'
}

need_root() {
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
    fail 'this needs root, and there is no sudo: run it as root'
  fi
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

fail() { fail_with 1 "$1"; }

fail_with() {
  echo "install.sh: $2" >&2
  exit "$1"
}

main "$@"
