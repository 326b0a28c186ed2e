# Sourced by ./sluice and by the image's entry point: how much memory the process gets. POSIX sh, builtins only, since the
# image has no other programs. Figures are MiB.

# What --memory says, else SLUICE_MEMORY, else nothing.
given_memory() { # arguments of the command
  given=${SLUICE_MEMORY:-}
  previous=
  for argument in "$@"; do
    [ "$previous" != "--memory" ] || given=$argument
    case $argument in --memory=*) given=${argument#--memory=} ;; esac
    previous=$argument
  done
  echo "$given"
}

mebibytes() { # 2g, 512m
  case $1 in
    *[gG]) number=${1%?} unit=1024 ;;
    *[mM]) number=${1%?} unit=1 ;;
    *) number= unit=1 ;;
  esac
  case $number in
    '' | *[!0-9]*)
      echo "sluice: memory is '$1', expected for example 2g or 768m" >&2
      exit 1
      ;;
  esac
  echo $((number * unit))
}

machine_memory() {
  while read -r name kibibytes _; do
    if [ "$name" = MemTotal: ]; then
      echo $((kibibytes / 1024))
      return 0
    fi
  done </proc/meminfo 2>/dev/null || true
  echo 4096
}

# A quarter of the machine, between 512 MiB and 2 GiB.
share_of_machine() {
  quarter=$(($(machine_memory) / 4))
  [ "$quarter" -le 2048 ] || quarter=2048
  [ "$quarter" -ge 512 ] || quarter=512
  echo "$quarter"
}

# Nothing if there is no limit: version 2 says "max" then, version 1 almost 2^63.
container_limit() {
  for file in /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes; do
    [ -r "$file" ] && read -r bytes <"$file" || continue
    case $bytes in
      '' | *[!0-9]* | ????????????????*) ;;
      *)
        echo $((bytes / 1024 / 1024))
        return 0
        ;;
    esac
  done
}

# Three quarters of the container's limit: the rest is for what the JVM and RocksDB take beside the budget, and for the
# system's page cache, which counts too. Without a limit as on any machine.
share_of_container() {
  limit=$(container_limit)
  if [ -n "$limit" ] && [ "$limit" -lt 683 ]; then
    echo "sluice: the container's memory limit is $limit MiB, 683 are the least: raise it, or give --memory" >&2
    exit 1
  fi
  if [ -z "$limit" ] || [ "$limit" -gt "$(machine_memory)" ]; then
    share_of_machine
  else
    echo $((limit * 3 / 4))
  fi
}

# One budget: a quarter is heap, the rest is off-heap and shared out by MemoryBudget.
memory_flags() { # MiB
  printf '%s\n' "-Xmx$(($1 / 4))m" -Xms32m "-XX:MaxDirectMemorySize=$(($1 / 2))m" "-Dsluice.memory=$(($1 * 1024 * 1024))" \
    "-Dio.netty.maxDirectMemory=$(($1 / 2 * 1024 * 1024))"
}

# Else glibc has an arena per thread, and each keeps freed buffers for itself.
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-2}"
