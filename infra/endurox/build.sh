#!/usr/bin/env bash
# Builds Enduro/X from its source, and the program that measures it. See --help.
#
# Tested on Debian 12.
set -euo pipefail

readonly HERE=$(cd "$(dirname "$0")" && pwd)
readonly REPOSITORY=https://github.com/endurox-dev/endurox
# Version 8.0.12.
readonly COMMIT=b54b82325f94764f63423f495a415e891b16b42a
readonly PACKAGES='gcc g++ make cmake flex bison libxml2-dev libxml2-utils libssl-dev zlib1g-dev git ca-certificates'

main() {
  local source='' target='' queues=kernel
  while [ $# -gt 0 ]; do
    case $1 in
      -h | --help) usage && exit 0 ;;
      --source) source=${2:?"--source needs a folder"} && shift ;;
      --queues) queues=${2:?"--queues needs a kind"} && shift ;;
      -*) usage >&2 && fail_with 2 "unknown option: $1" ;;
      *) [ -z "$target" ] || fail_with 2 "one folder is enough: $1" && target=$1 ;;
    esac
    shift
  done
  [ -n "$target" ] || { usage >&2 && fail_with 2 'name the folder to install into'; }
  case $queues in
    kernel | shared-memory) ;;
    *) usage >&2 && fail_with 2 "--queues must be kernel or shared-memory: $queues" ;;
  esac
  mkdir -p "$target"
  target=$(cd "$target" && pwd)
  if [ ! -e "$target/lib/libatmi.so" ]; then
    install_packages
    build "$source" "$target" "$queues"
  fi
  [ "$(queues_of "$target")" = "$queues" ] ||
    fail_with 2 "$target has an Enduro/X for other queues: $(queues_of "$target")"
  compile "$target"
  local name='Enduro/X'
  if [ "$queues" = shared-memory ]; then name+=' (shm)'; fi
  cat <<END
Enduro/X is installed in $target. To measure it:

  npx perf-battle --external "$name=$target/bin/perf-battle-endurox server,$target/bin/perf-battle-endurox client"
END
}

usage() {
  cat <<'END'
Usage: build.sh [--queues KIND] [--source FOLDER] TARGET

Builds Enduro/X 8 in a folder of its own, TARGET, and there the program
bin/perf-battle-endurox for perf-battle --external. Takes some minutes.

Enduro/X comes from https://github.com/endurox-dev/endurox, under the AGPL 3
(Mavimax sells other licences). The program links its libraries, so that licence
applies when you distribute it.

  --queues KIND    kernel (POSIX message queues, the default), or shared-memory
                   (its own queues in /dev/shm); each needs a folder of its own
  --source FOLDER  a copy of its repository, in place of cloning it
  --help           show this
END
}

install_packages() {
  local package missing=''
  for package in $PACKAGES; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=" $package"
  done
  if [ -z "$missing" ]; then return; fi
  as_root apt-get -q update
  # shellcheck disable=SC2086 # one word per package
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends $missing ||
    fail_with 1 "these packages could not be installed:$missing"
}

# It builds where its source is, so that gets a copy.
build() {
  local work own_queues=OFF
  if [ "$3" = shared-memory ]; then own_queues=ON; fi
  work=$(mktemp -d)
  # shellcheck disable=SC2064 # this folder, now
  trap "rm -rf '$work'" EXIT
  if [ -n "$1" ]; then
    cp -R "$1/." "$work"
  else
    git clone -q "$REPOSITORY" "$work"
    git -C "$work" checkout -q "$COMMIT"
  fi
  cd "$work"
  # Its own tests take most of the time.
  sed -i -E 's/^add_subdirectory \((ubftest|atmitest|libextest)\)/#&/' CMakeLists.txt
  cmake -DCMAKE_INSTALL_PREFIX="$2" -DDEFINE_DISABLEDOC=ON -DDEFINE_DISABLEPSCRIPT=ON \
    -DDEFINE_FORCEEMQ="$own_queues" . >build.log 2>&1 &&
    make -j "$(nproc)" >>build.log 2>&1 && make install >>build.log 2>&1 ||
    { tail -n 20 build.log >&2 && fail_with 1 'Enduro/X could not be built, see above'; }
}

queues_of() {
  if grep -q '^#define EX_USE_EMQ' "$1/include/ndrx_config.h"; then echo shared-memory; else echo kernel; fi
}

compile() {
  local libraries='-latmisrvinteg -latmiclt -latmi -lubf -lnstd -lrt -ldl -lm'
  # shellcheck disable=SC2086 # one word per library
  cc -O2 -pthread "-I$1/include" "-L$1/lib" "-Wl,-rpath,$1/lib" -o "$1/bin/perf-battle-endurox" "$HERE/call.c" $libraries ||
    fail_with 1 'the program for perf-battle could not be compiled, see above'
  install -m 755 "$HERE/domain.sh" "$1/bin/perf-battle-endurox-domain"
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

fail_with() {
  echo "build.sh: $2" >&2
  exit "$1"
}

main "$@"
