import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createSystemSearchPath } from '../find-program.js'

type Variables = Readonly<Record<string, string | undefined>>

/**
 * A POSIX sh script. It reads from stdin which processes run. When stdin closes without the line `dismiss`, Haft has died, and the
 * script ends them. Marks come through stdin, because `ps` lists arguments and the script would find and end itself.
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
    dismiss) exit 0 ;;
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

find_pids() {
  if [ -r /proc/self/environ ]; then in_proc; else by_ps; fi
}

empty_rounds=0 round=0
while [ $empty_rounds -lt 3 ] && [ $round -lt 100 ]; do
  pids=$(find_pids)
  if [ -z "$pids" ]; then
    empty_rounds=$((empty_rounds + 1))
  else
    empty_rounds=0
    if [ $round -eq 0 ]; then kill -s TERM $pids; kill -s CONT $pids; elif [ $round -ge 10 ]; then kill -s KILL $pids; fi
  fi 2>/dev/null
  round=$((round + 1))
  sleep 0.05
done
for folder do rm -rf "$folder"; done
`

/**
 * A small process that outlives this one, ends the processes that this one left running and removes its temporary folders.
 * It is replaced if it dies.
 */
export class Supervisor {
  readonly #environment: Variables
  /** All registrations so far. A replacement process receives them when it starts. */
  readonly #registrations = new Set<string>()
  #process: ChildProcess | undefined

  constructor(environment: Variables) {
    this.#environment = environment
  }

  /**
   * Registers what to clean up after the death of this process: everything with a mark, the group and session of a leader,
   * or a folder.
   */
  watch(registration: `mark ${string}` | `start ${number}` | `folder ${string}`): void {
    // The script reads one registration per line.
    if (registration.includes('\n') || process.platform === 'win32') return
    const isKnown = this.#registrations.has(registration)
    this.#registrations.add(registration)
    if (this.#process === undefined) this.#start()
    else if (!isKnown) this.#send(registration)
  }

  /** Unregisters a leader that has ended, because its process id may be reused. */
  forget(leader: number): void {
    this.#registrations.delete(`start ${leader}`)
    this.#send(`end ${leader}`)
  }

  /** Ends the supervisor process without a clean-up. */
  async dismiss(): Promise<void> {
    const child = this.#process
    this.#process = undefined
    if (child === undefined || child.pid === undefined || child.exitCode !== null) return
    const exitEvent = once(child, 'exit')
    child.ref()
    child.stdin?.end('dismiss\n')
    await exitEvent
  }

  #start(): void {
    const child = spawn('/bin/sh', ['-c', SUPERVISOR_SCRIPT], {
      cwd: '/',
      detached: true,
      env: { ...this.#environment, PATH: createSystemSearchPath(this.#environment.PATH) },
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    const clearProcess = (): void => {
      if (this.#process === child) this.#process = undefined
    }
    child.once('error', clearProcess)
    child.once('exit', clearProcess)
    child.stdin?.on('error', clearProcess)
    child.unref()
    this.#process = child
    for (const registration of this.#registrations) this.#send(registration)
    unrefStream(child.stdin)
  }

  #send(line: string): void {
    this.#process?.stdin?.write(`${line}\n`)
  }
}

/** Keeps the open pipe to the supervisor from keeping this process alive. */
function unrefStream(stream: object | null): void {
  if (stream !== null && 'unref' in stream && typeof stream.unref === 'function') stream.unref()
}

let sharedSupervisor: { readonly supervisor: Supervisor; users: number } | undefined

/**
 * Returns the supervisor of this process, which all its runtimes and ports share. They cannot observe each other
 * through it. Each user calls `releaseSupervisor` once.
 */
export function acquireSupervisor(environment: Variables): Supervisor {
  sharedSupervisor ??= { supervisor: new Supervisor(environment), users: 0 }
  sharedSupervisor.users++
  return sharedSupervisor.supervisor
}

export async function releaseSupervisor(): Promise<void> {
  if (sharedSupervisor === undefined) return
  sharedSupervisor.users--
  if (sharedSupervisor.users > 0) return
  const { supervisor } = sharedSupervisor
  sharedSupervisor = undefined
  await supervisor.dismiss()
}
