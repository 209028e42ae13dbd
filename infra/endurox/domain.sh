#!/usr/bin/env bash
# Starts or stops a domain of Enduro/X that keeps messages in files: its daemon, a transaction manager and a persistent
# queue. The program that measures them (call.c) runs this, and has its settings in the environment. build.sh installs it.
#
#   domain.sh start|stop FOLDER
set -euo pipefail

readonly ACTION=$1 FOLDER=$2
HOME_OF_ENDUROX=$(cd "$(dirname "$0")/.." && pwd)
export PATH=$HOME_OF_ENDUROX/bin:$PATH LD_LIBRARY_PATH=$HOME_OF_ENDUROX/lib

main() {
  case $ACTION in
    start) start ;;
    stop) end_daemons && rm -rf "$FOLDER" ;;
  esac >>"$FOLDER/domain.log" 2>&1 </dev/null
}

# Without free kernel queues xadmin cannot ask the daemons to end.
end_daemons() {
  xadmin stop -y || true
  xadmin down -y || true
  pkill -KILL -f "^(ndrxd|tmsrv|tmqueue) -k $NDRX_RNDK( |\$)" || true
}

start() {
  mkdir -p "$FOLDER/log-of-transactions" "$FOLDER/messages"
  # As few threads as a message at a time needs, because each has a kernel queue. With one thread both would wait.
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
    <server name="tmsrv">
      <srvid>50</srvid> <sysopt>-e $FOLDER/tmsrv.log -r -- -t1 -p2 -l$FOLDER/log-of-transactions</sysopt>
    </server>
    <server name="tmqueue">
      <srvid>100</srvid> <sysopt>-e $FOLDER/tmqueue.log -r -- -q $FOLDER/queues.conf -s1 -p2 -u1 -f1</sysopt>
    </server>
  </servers>
</endurox>
END
  cat >"$FOLDER/queues.conf" <<'END'
@,svcnm=-,autoq=n,waitinit=0,waitretry=0,waitretrymax=0,memonly=n
MESSAGES
END
  # The domain before it may still be ending, and both together have more queues than a user may.
  for _ in 1 2 3 4; do
    : >"$FOLDER/domain.log"
    xadmin start -y || true
    if grep -q '2 processes started' "$FOLDER/domain.log"; then return; fi
    end_daemons
    sleep 1
  done
  return 1
}

main
