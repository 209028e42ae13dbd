#!/usr/bin/env bash
# Installs the MQTT broker Mosquitto unless it is installed already. See --help.
#
# Tested on Debian 12. Not tested: Ubuntu (the same steps), Fedora and macOS.
set -euo pipefail

readonly PRODUCT=Mosquitto
readonly PROGRAM=mosquitto

# shellcheck source=infra/packages.sh
. "$(dirname "${BASH_SOURCE[0]}")/../packages.sh"

usage() {
  cat <<'END'
Usage: install.sh

Installs Mosquitto on Debian, Ubuntu, Fedora or macOS (Homebrew).
Does nothing when it is installed already. Needs root or sudo, except on macOS.

The service is neither started nor enabled: perf-battle starts private brokers.
Other systems: see https://mosquitto.org/download

  --help    show this
END
}

is_installed() {
  command -v "$PROGRAM" >/dev/null && is_configured mosquitto
}

# It ends with 3 after its help.
version() {
  { mosquitto -h || true; } | sed -n -e 's/^mosquitto version //p'
}

install_product() {
  case $(system) in
    debian) install_with_apt mosquitto ;;
    fedora) install_with_dnf mosquitto 'See https://mosquitto.org/download' ;;
    macos) as_brew_user install mosquitto ;;
    *) fail "no package of Mosquitto is known for this system ($(system)): see https://mosquitto.org/download" ;;
  esac
}

provide "$@"
