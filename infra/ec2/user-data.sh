#!/usr/bin/env bash
# Runs once, as root, when a host of perf-battle boots on EC2 (Amazon Linux 2023): cloud-init takes it as user data.
# It says when the host ends, installs Node.js and RabbitMQ, and reports below /run/perf-battle: ready, with what is
# there, or failed, with the reason.
set -Eeuo pipefail

# perf-battle writes the time that was asked for in its place.
readonly TTL_MINUTES=120
readonly REPORT=/run/perf-battle

main() {
  mkdir -p "$REPORT"
  chmod 755 "$REPORT"
  exec >"$REPORT/log" 2>&1
  trap report_failure ERR
  # First, so that whatever goes wrong the host ends: its shutdown behaviour is to terminate.
  shutdown -P "+$TTL_MINUTES"
  has_node || install_node
  has_node
  write_install_script
  # Without a broker there are still the cells that need none.
  local broker=installed
  bash "$REPORT/install-rabbitmq.sh" || broker=missing
  printf 'node %s\nbroker %s\n' "$(node --version)" "$broker" >"$REPORT/new"
  mv "$REPORT/new" "$REPORT/ready"
}

# 20.19 or newer, as package.json says.
has_node() {
  command -v node >/dev/null &&
    node -e 'const [major, minor] = process.versions.node.split(".").map(Number);
      process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1)'
}

install_node() {
  dnf install -y nodejs22 tar gzip
}

write_install_script() {
  cat >"$REPORT/install-rabbitmq.sh" <<'END OF THE INSTALL SCRIPT'
# perf-battle writes infra/rabbitmq/install.sh in the place of this line.
END OF THE INSTALL SCRIPT
}

report_failure() {
  tail -n 5 "$REPORT/log" >"$REPORT/new" || true
  mv "$REPORT/new" "$REPORT/failed"
}

main
