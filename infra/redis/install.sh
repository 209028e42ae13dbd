#!/usr/bin/env bash
# Installs Redis, or Valkey where the system has that instead, unless one is installed already. See --help.
#
# Tested on Debian 12. Not tested: Ubuntu (the same steps), Fedora, Amazon Linux 2023 and macOS.
set -euo pipefail

readonly PRODUCT='Redis server'
readonly PROGRAM='redis-server or valkey-server'

# shellcheck source=infra/packages.sh
. "$(dirname "${BASH_SOURCE[0]}")/../packages.sh"

usage() {
  cat <<'END'
Usage: install.sh

Installs Redis on Debian, Ubuntu or macOS (Homebrew), and Valkey on Fedora or Amazon Linux 2023.
Does nothing when one of them is installed already. Needs root or sudo, except on macOS.

The service is neither started nor enabled: perf-battle starts private servers.

  --help    show this
END
}

is_installed() {
  if command -v redis-server >/dev/null; then
    is_configured redis-server
  else
    command -v valkey-server >/dev/null && is_configured valkey-server
  fi
}

# Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=ae4d7c971a948f0
version() {
  "$(command -v redis-server || command -v valkey-server)" --version | sed -e 's/.* v=\([^ ]*\) .*/\1/'
}

install_product() {
  case $(system) in
    debian) install_with_apt redis-server ;;
    fedora | amazon-2023) install_with_dnf valkey 'See https://valkey.io/download' ;;
    macos) as_brew_user install redis ;;
    *) fail "this system is not supported ($(system)): install Redis 7 or newer, or Valkey, see https://redis.io/docs/latest/operate/oss_and_stack/install" ;;
  esac
}

provide "$@"
