import { type ChildProcess, spawn } from 'node:child_process'
import { createSystemSearchPath } from '../../system/find-program.js'

/** The states of the terminal that are reported to the guard, so that it resets the right modes. */
export type GuardedState = 'on' | 'off' | 'alternate' | 'main' | 'title'

/**
 * A POSIX sh script with the terminal as standard output. It reads the state from stdin. If stdin closes without
 * `dismiss`, the process that used the terminal has died, and the script resets the modes it had set. The line settings
 * (raw mode) are restored only if they are still those of the dead process: a shell may already have set its own.
 */
const GUARD_SCRIPT = `
trap '' HUP INT QUIT TERM PIPE TSTP TTIN TTOU
saved=$(stty -g <&1)
state=off screen=main titled=
while read -r word; do
  case $word in
    on) state=on raw=$(stty -g <&1) ;;
    off) state=off ;;
    alternate | main) screen=$word ;;
    title) titled=yes ;;
    dismiss) exit 0 ;;
  esac
done
[ $state = on ] || exit 0
[ $screen = main ] || printf '%b' "$2"
printf '%b' "$1"
[ -z "$titled" ] || printf '%b' "$3"
[ "$(stty -g <&1)" = "$raw" ] || exit 0
if [ "$saved" != "$raw" ]; then stty "$saved" <&1; else stty brkint icrnl ixon echo icanon iexten isig <&1; fi
`

export interface GuardOptions {
  /** A file descriptor of the terminal. */
  readonly terminal: number
  /** The sequence that resets all modes. */
  readonly reset: string
  /** The sequence that returns to the main screen. */
  readonly leaveAlternate: string
  /** The sequence that restores the window title. */
  readonly restoreTitle: string
}

/** After so many deaths of the guard, there is no new one. */
const MAX_RESTARTS = 5

/** A small process that outlives this one and restores the terminal if this process is killed. It is replaced if it dies. */
export class TerminalGuard {
  readonly #options: GuardOptions
  #process: ChildProcess | undefined
  /** The latest states, by what they are about. A new guard receives them when it starts. */
  readonly #states = new Map<'modes' | 'screen' | 'title', GuardedState>()
  #restarts = 0
  #isDismissed = false

  private constructor(options: GuardOptions) {
    this.#options = options
  }

  /** Call this before the terminal is changed, because the guard saves its settings when it starts. */
  static start(options: GuardOptions): TerminalGuard {
    const guard = new TerminalGuard(options)
    if (process.platform !== 'win32') guard.#start()
    return guard
  }

  #start(): void {
    const { terminal, reset, leaveAlternate, restoreTitle } = this.#options
    const texts = [reset, leaveAlternate, restoreTitle].map(escapeForPrintf)
    const child = spawn('/bin/sh', ['-c', GUARD_SCRIPT, 'haft-terminal-guard', ...texts], {
      cwd: '/',
      // In a separate session, the guard can write to the terminal at any time and does not receive its signals.
      detached: true,
      env: { PATH: createSystemSearchPath(process.env.PATH) },
      stdio: ['pipe', terminal, 'ignore'],
    })
    // Without the guard, the terminal is not restored if this process is killed.
    child.on('error', () => {})
    child.stdin?.on('error', () => {})
    child.once('exit', () => this.#restart())
    child.unref()
    if (child.stdin !== null && 'unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref()
    this.#process = child
  }

  #restart(): void {
    if (this.#isDismissed || this.#restarts === MAX_RESTARTS) return
    this.#restarts++
    this.#start()
    for (const state of this.#states.values()) this.#send(state)
  }

  report(state: GuardedState): void {
    const kind = state === 'on' || state === 'off' ? 'modes' : state === 'title' ? 'title' : 'screen'
    this.#states.set(kind, state)
    this.#send(state)
  }

  #send(state: GuardedState): void {
    this.#process?.stdin?.write(`${state}\n`)
  }

  /** Ends the guard. Call this after the terminal has been restored. */
  dismiss(): void {
    this.#isDismissed = true
    this.#process?.stdin?.end('dismiss\n')
  }
}

/** Escapes control characters, because `ps` prints the arguments of processes. */
function escapeForPrintf(text: string): string {
  return Array.from(text, (character) => {
    const code = character.charCodeAt(0)
    return code < 32 || character === '\\' ? `\\0${code.toString(8).padStart(3, '0')}` : character
  }).join('')
}
