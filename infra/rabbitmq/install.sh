#!/usr/bin/env bash
# Installs RabbitMQ unless it is installed already. See --help.
#
# Tested on Debian 12, as root and with sudo. Not tested, but written from the vendors' documentation: Ubuntu (the same
# steps as Debian), Fedora, Amazon Linux 2023 and macOS.
set -euo pipefail

readonly RPM_GUIDE=https://www.rabbitmq.com/docs/install-rpm
readonly SIGNING_KEYS=https://github.com/rabbitmq/signing-keys/releases/download/3.0
readonly PRODUCT=RabbitMQ
readonly PROGRAM=rabbitmq-server

# shellcheck source=infra/packages.sh
. "$(dirname "${BASH_SOURCE[0]}")/../packages.sh"

main() {
  local start=no
  while [ $# -gt 0 ]; do
    case $1 in
      --start) start=yes ;;
      --beside) exec bash "$(dirname "${BASH_SOURCE[0]}")/beside.sh" ;;
      -h | --help) usage && exit 0 ;;
      *) refuse_option "$1" ;;
    esac
    shift
  done
  provide_product
  if [ "$start" = yes ]; then start_service; fi
}

usage() {
  cat <<'END'
Usage: install.sh [--start | --beside]

Installs RabbitMQ on Debian, Ubuntu, Fedora, Amazon Linux 2023 or macOS (Homebrew).
Does nothing when RabbitMQ is installed already. Needs root or sudo, except on macOS.

The service is neither started nor enabled: perf-battle starts private brokers.

  --start   also enable and start the service, on port 5672
  --beside  put RabbitMQ 4 of Debian 13 in a folder of its own below /opt/perf-battle, beside
            the installed one, for --rabbitmq-home 4; needs Debian or Ubuntu
  --help    show this
END
}

# --- Detection ---------------------------------------------------------------

is_installed() {
  server_path >/dev/null && is_configured rabbitmq-server
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

install_product() {
  case $(system) in
    debian) install_with_apt rabbitmq-server ;;
    fedora) install_on_fedora ;;
    amazon-2023) install_from_rabbitmq_repositories ;;
    macos) as_brew_user install rabbitmq ;;
    *) fail "this system is not supported ($(system)): install RabbitMQ 3.8 or newer, see https://www.rabbitmq.com/docs/download" ;;
  esac
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

main "$@"
