#!/usr/bin/env bash
# Installs RabbitMQ unless it is installed already. See --help.
#
# Tested on Debian 12, as root and with sudo. Not tested, but written from the vendors' documentation: Ubuntu (the same
# steps as Debian), Fedora, Amazon Linux 2023 and macOS. It needs only bash 3.2, the version of macOS.
set -euo pipefail

readonly RPM_GUIDE=https://www.rabbitmq.com/docs/install-rpm
readonly SIGNING_KEYS=https://github.com/rabbitmq/signing-keys/releases/download/3.0
readonly POLICY=/usr/sbin/policy-rc.d
readonly SAVED_POLICY=/usr/sbin/policy-rc.d.saved-by-perf-battle
readonly POLICY_MARK='# Written by perf-battle while it installs RabbitMQ.'

main() {
  local start=no
  while [ $# -gt 0 ]; do
    case $1 in
      --start) start=yes ;;
      -h | --help) usage && exit 0 ;;
      *) usage >&2 && fail_with 2 "unknown option: $1" ;;
    esac
    shift
  done
  if is_installed; then
    echo "RabbitMQ $(version) is already installed"
  else
    install_rabbitmq
    is_installed || fail 'the packages were installed, but rabbitmq-server was not found afterwards'
    echo "RabbitMQ $(version) is installed"
  fi
  if [ "$start" = yes ]; then start_service; fi
}

usage() {
  cat <<'END'
Usage: install.sh [--start]

Installs RabbitMQ on Debian, Ubuntu, Fedora, Amazon Linux 2023 or macOS (Homebrew).
Does nothing when RabbitMQ is installed already. Needs root or sudo, except on macOS.

The service is neither started nor enabled: perf-battle starts private brokers.

  --start   also enable and start the service, on port 5672
  --help    show this
END
}

# --- Detection ---------------------------------------------------------------

is_installed() {
  server_path >/dev/null || return 1
  # After an interruption a package can be unpacked but not configured. Its files exist, but it is not installed.
  case $(package_state) in
    '' | installed) return 0 ;;
    *) return 1 ;;
  esac
}

# The server's own scripts come first. The script on PATH is a wrapper of the package, whose path has no version.
server_path() {
  local file
  for file in /usr/lib/rabbitmq/lib/*/sbin/rabbitmq-server /usr/lib/rabbitmq/bin/rabbitmq-server \
    /opt/homebrew/sbin/rabbitmq-server /usr/local/sbin/rabbitmq-server; do
    if [ -x "$file" ]; then
      echo "$file"
      return 0
    fi
  done
  command -v rabbitmq-server
}

# Prints nothing when dpkg does not know the package: on other systems, or after another kind of installation.
package_state() {
  command -v dpkg-query >/dev/null || return 0
  # shellcheck disable=SC2016 # the braces are dpkg's
  dpkg-query -W -f '${db:Status-Status}' rabbitmq-server 2>/dev/null | grep -v -e not-installed -e config-files || true
}

version() {
  local path number
  path=$(resolve "$(server_path)")
  # Packages have .../rabbitmq_server-3.10.8/sbin/..., Homebrew has .../Cellar/rabbitmq/4.0.5/sbin/...
  number=$(echo "$path" | sed -n -e 's|.*/rabbitmq_server-\([0-9][^/]*\)/.*|\1|p' -e 's|.*/rabbitmq/\([0-9][^/]*\)/.*|\1|p')
  echo "${number:-of unknown version}"
}

# Like readlink -f, which older versions of macOS do not have.
resolve() {
  local path=$1 target
  while [ -L "$path" ]; do
    target=$(readlink "$path")
    case $target in
      /*) path=$target ;;
      *) path=$(dirname "$path")/$target ;;
    esac
  done
  echo "$(cd -P "$(dirname "$path")" && pwd)/$(basename "$path")"
}

# --- Installing --------------------------------------------------------------

install_rabbitmq() {
  case $(system) in
    debian) install_with_apt ;;
    fedora) install_on_fedora ;;
    amazon-2023) install_from_rabbitmq_repositories ;;
    macos) as_brew_user install rabbitmq ;;
    *) fail "this system is not supported ($(system)): install RabbitMQ 3.8 or newer, see https://www.rabbitmq.com/docs/download" ;;
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
      ' amzn '*) echo "amazon-$VERSION_ID" ;;
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
  apt_get install -y --no-install-recommends rabbitmq-server
  allow_service_starts
  disable_service
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
    as_root "$POLICY" rabbitmq-server start >/dev/null 2>&1 || answer=$?
    if [ "$answer" = 101 ]; then return; fi
  fi
  trap allow_service_starts EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  if [ -e "$POLICY" ] || [ -L "$POLICY" ]; then as_root mv "$POLICY" "$SAVED_POLICY"; fi
  printf '#!/bin/sh\n%s\nexit 101\n' "$POLICY_MARK" | as_root tee "$POLICY" >/dev/null
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
    as_root systemctl disable rabbitmq-server >/dev/null 2>&1 || true
  elif command -v update-rc.d >/dev/null; then
    as_root update-rc.d rabbitmq-server disable >/dev/null 2>&1 || true
  fi
}

# Not tested. Fedora packages RabbitMQ; a release without that package uses the packages of the RabbitMQ project.
install_on_fedora() {
  need_root
  if dnf -q list rabbitmq-server >/dev/null 2>&1; then
    as_root dnf install -y rabbitmq-server || fail 'dnf install failed, see above'
  else
    install_from_rabbitmq_repositories
  fi
}

# Not tested. Amazon Linux 2023 has no package. It uses the RabbitMQ project's packages for Enterprise Linux 9 (the guide
# at $RPM_GUIDE, "Amazon Linux 2023"). Packages do not start the service there.
install_from_rabbitmq_repositories() {
  need_root
  if [ "$(uname -m)" != x86_64 ]; then
    fail "the repositories of the RabbitMQ project have Erlang only for x86_64, and this host is $(uname -m): see $RPM_GUIDE"
  fi
  local key
  for key in rabbitmq-release-signing-key.asc cloudsmith.rabbitmq-erlang.E495BB49CC4BBE5B.key \
    cloudsmith.rabbitmq-server.9F4587F226208342.key; do
    as_root rpm --import "$SIGNING_KEYS/$key" || fail "the signing key $SIGNING_KEYS/$key could not be imported"
  done
  rabbitmq_repositories | as_root tee /etc/yum.repos.d/rabbitmq.repo >/dev/null
  as_root dnf install -y logrotate erlang rabbitmq-server || fail "dnf install failed, see above and $RPM_GUIDE"
}

rabbitmq_repositories() {
  # shellcheck disable=SC2016 # dnf replaces $basearch
  repository erlang '$basearch' cloudsmith.rabbitmq-erlang.E495BB49CC4BBE5B.key
  repository erlang noarch cloudsmith.rabbitmq-erlang.E495BB49CC4BBE5B.key
  # shellcheck disable=SC2016
  repository rabbitmq '$basearch' cloudsmith.rabbitmq-server.9F4587F226208342.key
  repository rabbitmq noarch cloudsmith.rabbitmq-server.9F4587F226208342.key
}

# repository PRODUCT ARCHITECTURE KEY
repository() {
  cat <<END
[rabbitmq-project-$1-${2#$}]
name=$1 of the RabbitMQ project ($2)
baseurl=https://yum1.rabbitmq.com/$1/el/9/$2
        https://yum2.rabbitmq.com/$1/el/9/$2
enabled=1
gpgcheck=1
repo_gpgcheck=1
gpgkey=$SIGNING_KEYS/$3
       $SIGNING_KEYS/rabbitmq-release-signing-key.asc
sslverify=1
sslcacert=/etc/pki/tls/certs/ca-bundle.crt
metadata_expire=300

END
}

# --- Starting ----------------------------------------------------------------

start_service() {
  if [ "$(system)" = macos ]; then
    as_brew_user services start rabbitmq
  else
    need_root
    start_linux_service
  fi
  echo 'RabbitMQ is started, on port 5672'
}

start_linux_service() {
  if [ -d /run/systemd/system ]; then
    as_root systemctl enable --now rabbitmq-server
  elif [ -x /etc/init.d/rabbitmq-server ] && command -v service >/dev/null; then
    if command -v update-rc.d >/dev/null; then as_root update-rc.d rabbitmq-server enable; fi
    as_root service rabbitmq-server start
  else
    # The script on PATH switches to the user rabbitmq.
    as_root rabbitmq-server -detached
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

# Not tested. Homebrew refuses to run as root. With sudo it runs as the user who called sudo.
as_brew_user() {
  local brew
  # The PATH of root may lack Homebrew's folders.
  brew=$(PATH=$PATH:/opt/homebrew/bin:/usr/local/bin command -v brew) || fail 'Homebrew is not installed: see https://brew.sh'
  if [ "$(id -u)" != 0 ]; then
    "$brew" "$@" || fail "brew $* failed, see above"
  elif [ -n "${SUDO_USER:-}" ]; then
    sudo -u "$SUDO_USER" -H "$brew" "$@" || fail "brew $* failed, see above"
  else
    fail 'Homebrew does not work as root: run this as an ordinary user'
  fi
}

fail() { fail_with 1 "$1"; }

fail_with() {
  echo "install.sh: $2" >&2
  exit "$1"
}

main "$@"
