#!/usr/bin/env bash
# Starts a domain of Enduro/X: its daemon, and a transaction manager and a queue that keeps messages in files; or,
# where BRIDGE has its parameters, a bridge to another domain; or, where only SERVER is set, the daemon alone. The program
# that measures them (call.c) runs this, and has its settings in the environment. build.sh installs it.
#
#   domain.sh FOLDER
set -euo pipefail

readonly FOLDER=$1
HOME_OF_ENDUROX=$(cd "$(dirname "$0")/.." && pwd)
export PATH=$HOME_OF_ENDUROX/bin:$PATH LD_LIBRARY_PATH=$HOME_OF_ENDUROX/lib

main() {
  local servers count
  if [ -n "${BRIDGE:-}" ]; then
    servers=$(bridge) count=1
  elif [ -n "${SERVER:-}" ]; then
    servers=$(itself) count=0
  else
    servers=$(queue) count=2
  fi
  cat >"$NDRX_CONFIG" <<END
<?xml version="1.0" ?>
<endurox>
  <appconfig>
    <sanity>15</sanity> <checkpm>5</checkpm> <restart_to_check>20</restart_to_check>
    <restart_min>1</restart_min> <restart_step>10</restart_step> <restart_max>30</restart_max>
  </appconfig>
  <defaults>
    <min>1</min> <max>1</max> <autokill>1</autokill> <respawn>0</respawn> <killtime>20</killtime>
    <start_max>20</start_max> <end_max>30</end_max> <pingtime>9</pingtime> <ping_max>40</ping_max>
  </defaults>
  <servers>
$servers
  </servers>
</endurox>
END
  xadmin start -y >"$FOLDER/domain.log" 2>&1 </dev/null || true
  grep -q "$count processes started" "$FOLDER/domain.log"
}

# The program itself, which is a server of a number, is started by perf-battle.
bridge() {
  cat <<END
    <server name="tpbridge">
      <srvid>1</srvid> <sysopt>-e $FOLDER/tpbridge.log -r -- $BRIDGE -c1 -T60 -P2</sysopt>
    </server>
$(itself)
END
}

itself() {
  echo "    <server name=\"perf-battle-endurox\"> <srvid>$SERVER</srvid> <min>0</min> </server>"
}

# As few threads as a message at a time needs, because each has a kernel queue. With one thread both would wait.
queue() {
  mkdir -p "$FOLDER/log-of-transactions" "$FOLDER/messages"
  cat >"$FOLDER/queues.conf" <<'END'
@,svcnm=-,autoq=n,waitinit=0,waitretry=0,waitretrymax=0,memonly=n
MESSAGES
END
  cat <<END
    <server name="tmsrv">
      <srvid>50</srvid> <sysopt>-e $FOLDER/tmsrv.log -r -- -t1 -p2 -l$FOLDER/log-of-transactions</sysopt>
    </server>
    <server name="tmqueue">
      <srvid>100</srvid> <sysopt>-e $FOLDER/tmqueue.log -r -- -q $FOLDER/queues.conf -s1 -p2 -u1 -f1</sysopt>
    </server>
END
}

main
