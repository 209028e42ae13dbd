#!/usr/bin/env bash
# The script in the user data of perf-battle's hosts on EC2 (Amazon Linux 2023). cloud-init runs it once, as root, late in
# the first boot. It schedules the host's shutdown, installs Node.js and a broker, and reports in /run/perf-battle: in the file ready,
# with what is installed, or in the file failed, with the reason.
set -Eeuo pipefail

# perf-battle replaces the number with the value of --ttl.
readonly TTL_MINUTES=120
readonly REPORT=/run/perf-battle

main() {
  mkdir -p "$REPORT"
  chmod 755 "$REPORT"
  exec >"$REPORT/log" 2>&1
  trap report_failure ERR
  # The host's shutdown behavior is to terminate. A timer that cloud-init sets earlier does the same, in case this
  # script does not run.
  shutdown -P "+$TTL_MINUTES"
  has_node || install_node
  has_node
  write_install_scripts
  # Without a broker the host can still run the transports that need no broker.
  local broker=installed
  bash "$REPORT/infra/broker/install.sh" || broker=missing
  printf 'node %s\nbroker %s\n' "$(node --version)" "$broker" >"$REPORT/new"
  mv "$REPORT/new" "$REPORT/ready"
}

# 20.19 or newer, as package.json requires.
has_node() {
  command -v node >/dev/null &&
    node -e 'const [major, minor] = process.versions.node.split(".").map(Number);
      process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1)'
}

install_node() {
  dnf install -y nodejs22 tar gzip
}

# The install script finds the other one by its place.
write_install_scripts() {
  mkdir -p "$REPORT/infra/broker"
  cat >"$REPORT/infra/packages.sh" <<'END OF WHAT INSTALL SCRIPTS SHARE'
# perf-battle replaces this line with what install scripts share.
END OF WHAT INSTALL SCRIPTS SHARE
  cat >"$REPORT/infra/broker/install.sh" <<'END OF THE INSTALL SCRIPT'
# perf-battle replaces this line with the broker's install script.
END OF THE INSTALL SCRIPT
}

report_failure() {
  tail -n 5 "$REPORT/log" >"$REPORT/new" || true
  mv "$REPORT/new" "$REPORT/failed"
}

main
