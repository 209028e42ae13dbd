#!/usr/bin/env bash
# Installs Apache Kafka from its jars of Maven Central unless it is installed already. See --help.
#
# Tested on Debian 12. Not tested: Ubuntu (the same steps), Fedora, Amazon Linux 2023 and macOS.
set -euo pipefail

readonly PRODUCT='Apache Kafka'
readonly PROGRAM=kafka-server-start.sh
readonly RELEASE=4.4.0
# Lets Kafka's errors appear; the version of the other jars of Log4j.
readonly LOG4J=2.25.5
readonly BASE=/opt/perf-battle
readonly FOLDER=$BASE/kafka-$RELEASE

# shellcheck source=infra/packages.sh
. "$(dirname "${BASH_SOURCE[0]}")/../packages.sh"

# What it installs may be on nobody's PATH.
export PATH="$PATH:$BASE/kafka/bin"

usage() {
  cat <<END
Usage: install.sh

Installs Apache Kafka $RELEASE in $FOLDER on Debian, Ubuntu, Fedora or Amazon Linux 2023: its jars from
Maven Central, and the system's packages of Java and Maven where they are missing. On macOS it installs
Homebrew's kafka. Does nothing when one is installed already. Needs root or sudo, except on macOS.

No service is made: perf-battle starts private brokers.
Other systems: put bin of Apache's distribution on PATH, see https://kafka.apache.org/downloads

  --help    show this
END
}

# Java may have been removed since.
is_installed() {
  [ -n "$(program)" ] && command -v java >/dev/null
}

program() {
  command -v "$PROGRAM" || command -v kafka-server-start || true
}

# The jars of a distribution are in libs beside bin, those of Homebrew in libexec/libs.
version() {
  local folder jar
  folder=$(dirname "$(dirname "$(readlink -f "$(program)")")")
  for jar in "$folder"/libs/kafka-clients-*.jar "$folder"/libexec/libs/kafka-clients-*.jar; do
    if [ -e "$jar" ]; then basename "$jar" .jar | sed -e 's/^kafka-clients-//'; fi
  done
}

install_product() {
  case $(system) in
    debian) install_jars default-jre-headless install_apt_packages ;;
    fedora | amazon-2023) install_jars java-21-headless install_dnf_packages ;;
    macos) as_brew_user install kafka ;;
    *) fail "this system is not supported ($(system)): put bin of Apache's distribution on PATH, see https://kafka.apache.org/downloads" ;;
  esac
}

install_apt_packages() {
  as_root env DEBIAN_FRONTEND=noninteractive dpkg --configure -a
  apt_get update
  apt_get install -y --no-install-recommends "$@"
}

install_dnf_packages() {
  as_root dnf install -y "$@" || fail "dnf install $* failed, see above"
}

# install_jars PACKAGE-OF-JAVA FUNCTION
install_jars() {
  need_root
  # Every user may run it, whatever the umask of the installing user.
  umask 022
  local packages=()
  command -v java >/dev/null || packages+=("$1")
  command -v mvn >/dev/null || packages+=(maven)
  if [ ${#packages[@]} -gt 0 ]; then "$2" "${packages[@]}"; fi
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  mkdir "$work/bin"
  write_pom >"$work/pom.xml"
  (cd "$work" && mvn -q -B dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory=libs) ||
    fail 'Maven could not fetch the jars of Kafka, see above'
  write_launcher kafka.Kafka '-Xmx1G -Xms1G' >"$work/bin/$PROGRAM"
  write_launcher kafka.tools.StorageTool -Xmx256M >"$work/bin/kafka-storage.sh"
  chmod 755 "$work" "$work"/bin/*.sh
  rm -rf "$work/pom.xml"
  as_root mkdir -p "$BASE"
  as_root rm -rf "$FOLDER" "$FOLDER.part"
  as_root cp -R "$work" "$FOLDER.part"
  as_root mv "$FOLDER.part" "$FOLDER"
  as_root ln -sfn "$FOLDER" "$BASE/kafka"
}

write_pom() {
  cat <<END
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>perf-battle</groupId>
  <artifactId>kafka</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>kafka_2.13</artifactId>
      <version>$RELEASE</version>
    </dependency>
    <dependency>
      <groupId>org.apache.logging.log4j</groupId>
      <artifactId>log4j-slf4j-impl</artifactId>
      <version>$LOG4J</version>
    </dependency>
  </dependencies>
</project>
END
}

# The heap and the garbage collector are those of the script of the same name in Apache's distribution.
write_launcher() {
  cat <<END
#!/bin/sh
# Written by perf-battle: starts $1 as the script of Apache's distribution does.
exec java \${KAFKA_HEAP_OPTS:-$2} -server -XX:+UseG1GC -XX:MaxGCPauseMillis=20 -XX:InitiatingHeapOccupancyPercent=35 \\
  -XX:+ExplicitGCInvokesConcurrent -Djava.awt.headless=true -cp '$FOLDER/libs/*' $1 "\$@"
END
}

provide "$@"
