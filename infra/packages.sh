# shellcheck shell=bash
# What the install.sh of every broker needs: the system, its package manager, privileges and errors. They source it:
#   . "$(dirname "${BASH_SOURCE[0]}")/../packages.sh"
#
# A script sets PRODUCT, for messages, and PROGRAM, which must be there afterwards. It defines usage, is_installed, version and
# install_product, and ends with: provide "$@". It needs only bash 3.2, the version of macOS.
#
# Tested on Debian 12, as root and with sudo. Not tested: Ubuntu (the same steps), Fedora, Amazon Linux 2023 and macOS.
set -euo pipefail

readonly POLICY=/usr/sbin/policy-rc.d
readonly SAVED_POLICY=/usr/sbin/policy-rc.d.saved-by-perf-battle
readonly POLICY_MARK='# Written by perf-battle while it installs'

# A user's PATH may lack the folders of system programs and those of Homebrew.
export PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/opt/homebrew/bin:/opt/homebrew/sbin"

# Of a script whose only option is --help.
provide() {
  case ${1-} in
    -h | --help) usage && exit 0 ;;
  esac
  if [ $# -gt 0 ]; then refuse_option "$1"; fi
  provide_product
}

provide_product() {
  if is_installed; then
    echo "$PRODUCT $(version) is already installed"
  else
    install_product
    is_installed || fail "the packages were installed, but $PROGRAM was not found afterwards"
    echo "$PRODUCT $(version) is installed"
  fi
}

refuse_option() {
  usage >&2
  fail_with 2 "unknown option: $1"
}

# debian, fedora, amazon-VERSION, macos, or what else the system calls itself.
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
      ' amzn '*) echo "amazon-$VERSION_ID" ;;
      ' fedora '*) echo fedora ;;
      *) echo "${ID:-$(uname -s)} $VERSION_ID" ;;
    esac
  )
}

# After an interruption a package can be unpacked but not configured: its files exist, but it is not installed. A package that
# dpkg does not know is no obstacle: on other systems, or after another kind of installation.
is_configured() {
  command -v dpkg-query >/dev/null || return 0
  # shellcheck disable=SC2016 # the braces are dpkg's
  case $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) in
    '' | installed | not-installed | config-files) return 0 ;;
    *) return 1 ;;
  esac
}

# --- Debian and Ubuntu -------------------------------------------------------

# install_with_apt PACKAGE [SERVICE]. The service, by default of the package's name, is neither started nor enabled.
install_with_apt() {
  need_root
  deny_service_starts "${2-$1}"
  # apt refuses to work until an interrupted installation is finished.
  as_root env DEBIAN_FRONTEND=noninteractive dpkg --configure -a
  apt_get update
  apt_get install -y --no-install-recommends "$1"
  allow_service_starts
  disable_service "${2-$1}"
}

apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 apt-get -q -o DPkg::Lock::Timeout=300 "$@" ||
    fail "apt-get $1 failed, see above"
}

# Debian starts a service when it installs it. A policy that answers 101 (denied) prevents that. An existing policy with
# the same answer stays; any other is set aside during the installation.
deny_service_starts() {
  allow_service_starts
  if [ -x "$POLICY" ]; then
    local answer=0
    as_root "$POLICY" "$1" start >/dev/null 2>&1 || answer=$?
    if [ "$answer" = 101 ]; then return; fi
  fi
  trap allow_service_starts EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  if [ -e "$POLICY" ] || [ -L "$POLICY" ]; then as_root mv "$POLICY" "$SAVED_POLICY"; fi
  printf '#!/bin/sh\n%s %s.\nexit 101\n' "$POLICY_MARK" "$PRODUCT" | as_root tee "$POLICY" >/dev/null
  as_root chmod 755 "$POLICY"
}

# Also restores the policy after an earlier run that was killed.
allow_service_starts() {
  if [ -e "$POLICY" ] && grep -qF "$POLICY_MARK" "$POLICY"; then as_root rm -f "$POLICY"; fi
  if [ -e "$SAVED_POLICY" ] || [ -L "$SAVED_POLICY" ]; then as_root mv "$SAVED_POLICY" "$POLICY"; fi
}

# Otherwise the service would start at the next boot.
disable_service() {
  if command -v systemctl >/dev/null; then
    as_root systemctl disable "$1" >/dev/null 2>&1 || true
  elif command -v update-rc.d >/dev/null; then
    as_root update-rc.d "$1" disable >/dev/null 2>&1 || true
  fi
}

# --- Fedora and macOS, not tested --------------------------------------------

# install_with_dnf PACKAGE ADVICE. Packages do not start their services there.
install_with_dnf() {
  need_root
  as_root dnf install -y "$1" || fail "dnf install $1 failed, see above. $2"
}

# Homebrew refuses to run as root. With sudo it runs as the user who called sudo.
as_brew_user() {
  local brew
  brew=$(command -v brew) || fail 'Homebrew is not installed: see https://brew.sh'
  if [ "$(id -u)" != 0 ]; then
    "$brew" "$@" || fail "brew $* failed, see above"
  elif [ -n "${SUDO_USER:-}" ]; then
    sudo -u "$SUDO_USER" -H "$brew" "$@" || fail "brew $* failed, see above"
  else
    fail 'Homebrew does not work as root: run this as an ordinary user'
  fi
}

# --- Privileges and errors ---------------------------------------------------

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
