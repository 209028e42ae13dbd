#!/usr/bin/env bash
# Installs Apache ActiveMQ Artemis from Maven Central unless it is installed already. See --help.
#
# Tested on Debian 12. Not tested: Ubuntu (the same steps), Fedora, Amazon Linux 2023 and macOS.
set -euo pipefail

readonly PRODUCT='Apache ActiveMQ Artemis'
readonly PROGRAM=artemis
readonly RELEASE=2.40.0
readonly BASE=/opt/perf-battle
readonly FOLDER=$BASE/artemis-$RELEASE

# shellcheck source=infra/packages.sh
. "$(dirname "${BASH_SOURCE[0]}")/../packages.sh"

# What it installs may be on nobody's PATH.
export PATH="$PATH:$BASE/artemis/bin"

usage() {
  cat <<END
Usage: install.sh

Installs Apache ActiveMQ Artemis $RELEASE in $FOLDER on Debian, Ubuntu, Fedora, Amazon Linux 2023 or macOS:
Apache's distribution from Maven Central, and Java, Maven and libaio from the system's packages or
Homebrew where they are missing. Does nothing when it is installed already. Needs root or sudo.

No service is made: perf-battle starts private brokers.
Other systems: put bin of Apache's distribution on PATH, see https://activemq.apache.org/components/artemis/download

  --help    show this
END
}

# Java and libaio may be missing beside a distribution that is there.
is_installed() {
  command -v "$PROGRAM" >/dev/null && has_java && has_libaio
}

# macOS has a program of this name that only says what to install.
has_java() {
  java -version >/dev/null 2>&1
}

# Only Linux has it. With -q, grep would end before ldconfig has written all.
has_libaio() {
  [ "$(uname -s)" != Linux ] || ldconfig -p | grep 'libaio\.so\.1' >/dev/null
}

# The jars of a distribution are in lib beside bin.
version() {
  local jar
  for jar in "$(dirname "$(dirname "$(readlink -f "$(command -v "$PROGRAM")")")")"/lib/artemis-server-*.jar; do
    basename "$jar" .jar | sed -n -e 's/^artemis-server-\([0-9]\)/\1/p'
  done
}

install_product() {
  case $(system) in
    debian) install_apt_packages default-jre-headless ;;
    fedora | amazon-2023) install_dnf_packages java-21-headless ;;
    macos) install_brew_packages openjdk ;;
    *) fail "this system is not supported ($(system)): put bin of Apache's distribution on PATH, see https://activemq.apache.org/components/artemis/download" ;;
  esac
  command -v "$PROGRAM" >/dev/null || install_distribution
}

# missing_packages PACKAGE-OF-JAVA: of Java, and of Maven if it is needed, those that are not there.
missing_packages() {
  has_java || echo "$1"
  command -v "$PROGRAM" >/dev/null || command -v mvn >/dev/null || echo maven
}

# libaio has another name since Debian 13 and Ubuntu 24.04.
install_apt_packages() {
  need_root
  as_root env DEBIAN_FRONTEND=noninteractive dpkg --configure -a
  apt_get update
  local libaio=libaio1
  if apt-cache show libaio1t64 >/dev/null 2>&1; then libaio=libaio1t64; fi
  # shellcheck disable=SC2046 # each line is a package
  apt_get install -y --no-install-recommends "$libaio" $(missing_packages "$1")
}

install_dnf_packages() {
  need_root
  # shellcheck disable=SC2046 # each line is a package
  as_root dnf install -y libaio $(missing_packages "$1") || fail 'dnf install failed, see above'
}

install_brew_packages() {
  local package
  for package in $(missing_packages "$1"); do as_brew_user install "$package"; done
}

install_distribution() {
  need_root
  # Every user may run it, whatever the umask of the installing user.
  umask 022
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  (cd "$work" && mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
    -Dartifact="org.apache.activemq:apache-artemis:$RELEASE:tar.gz:bin" -DoutputDirectory="$work") ||
    fail 'Maven could not fetch the distribution of Artemis, see above'
  tar -xzf "$work/apache-artemis-$RELEASE-bin.tar.gz" -C "$work"
  as_root mkdir -p "$BASE"
  as_root rm -rf "$FOLDER" "$FOLDER.part"
  as_root cp -R "$work/apache-artemis-$RELEASE" "$FOLDER.part"
  as_root chown -R 0:0 "$FOLDER.part"
  as_root mv "$FOLDER.part" "$FOLDER"
  as_root ln -sfn "$FOLDER" "$BASE/artemis"
}

provide "$@"
