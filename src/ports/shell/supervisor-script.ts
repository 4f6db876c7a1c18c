/**
 * What the supervisor runs, as POSIX sh: it is told on stdin what runs, and when stdin closes without a farewell, Haft
 * has died and it ends everything. Marks come by stdin, so that no process of its own has one in its arguments.
 */
export const SUPERVISOR_SCRIPT = `
PATH=$PATH:/usr/bin:/bin
trap '' HUP INT QUIT TERM PIPE
marks= leaders=' '
set --
while read -r word value; do
  case $word in
    mark) marks="$marks $value" ;;
    start) leaders="$leaders$value " ;;
    end) case $leaders in *" $value "*) leaders="\${leaders%%" $value "*} \${leaders#*" $value "}" ;; esac ;;
    folder) set -- "$@" "$value" ;;
    farewell) exit 0 ;;
  esac
done

in_proc() {
  set --
  for mark in $marks; do set -- "$@" -e "$mark"; done
  [ $# -eq 0 ] || grep -slF "$@" /proc/[0-9]*/environ | while IFS=/ read -r _ _ pid _; do echo "$pid"; done
  [ "$leaders" = ' ' ] && return
  for stat in /proc/[0-9]*/stat; do
    { read -r line <"$stat"; } 2>/dev/null || continue
    pid=\${line%% *}
    set -- \${line##*) }
    [ "$1" = Z ] || case $leaders in *" $4 "* | *" $3 "*) echo "$pid" ;; esac
  done
}

by_ps() {
  ps axeww -o pid=,pgid=,stat=,command= | while read -r pid group state command; do
    case $state in Z*) continue ;; esac
    case $leaders in *" $group "*) echo "$pid"; continue ;; esac
    for mark in $marks; do case $command in *"$mark"*) echo "$pid"; break ;; esac; done
  done
}

found() {
  if [ -r /proc/self/environ ]; then in_proc; else by_ps; fi
}

clear=0 round=0
while [ $clear -lt 3 ] && [ $round -lt 100 ]; do
  pids=$(found)
  if [ -z "$pids" ]; then
    clear=$((clear + 1))
  else
    clear=0
    if [ $round -eq 0 ]; then kill -s TERM $pids; kill -s CONT $pids; elif [ $round -ge 10 ]; then kill -s KILL $pids; fi
  fi 2>/dev/null
  round=$((round + 1))
  sleep 0.05
done
for folder do rm -rf "$folder"; done
`
