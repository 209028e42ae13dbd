#!/usr/bin/env bash
# Installs the NATS server unless it is installed already. See --help.
#
# Tested on Debian 12. Not tested: Ubuntu (the same steps), Fedora and macOS.
set -euo pipefail

readonly PRODUCT='NATS server'
readonly PROGRAM=nats-server
readonly RELEASES=https://github.com/nats-io/nats-server/releases

# shellcheck source=infra/packages.sh
. "$(dirname "${BASH_SOURCE[0]}")/../packages.sh"

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
  command -v "$PROGRAM" >/dev/null && is_configured nats-server
}

version() {
  nats-server --version | sed -e 's/^nats-server: v//'
}

# Not every release of Fedora has the package.
install_product() {
  case $(system) in
    debian) install_with_apt nats-server ;;
    fedora) install_with_dnf nats-server "Put the program nats-server of $RELEASES on PATH" ;;
    macos) as_brew_user install nats-server ;;
    *) fail "no package of the NATS server is known for this system ($(system)): put the program nats-server of $RELEASES on PATH" ;;
  esac
}

provide "$@"
