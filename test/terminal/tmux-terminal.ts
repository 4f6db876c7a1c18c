import { execFileSync } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

const POLL_MS = 20
let serverCount = 0

/** Runs a program in a tmux server of its own, which ends with the test. */
export function startTmux(
  command: readonly string[],
  options: { columns: number; rows: number; cwd?: string; variables?: Readonly<Record<string, string>> },
) {
  const { columns, rows, cwd = process.cwd(), variables = {} } = options
  const server = `haft-test-${process.pid}-${serverCount++}`
  const env = { ...process.env, TERM: 'xterm-256color', ...variables }
  const tmux = (...args: readonly string[]) =>
    execFileSync('tmux', ['-L', server, '-f', '/dev/null', ...args], { encoding: 'utf8', env, cwd })
  tmux('new-session', '-d', '-x', `${columns}`, '-y', `${rows}`, ...command)
  onTestFinished(() => void tmux('kill-server'))
  const capture = (...args: readonly string[]) =>
    tmux('capture-pane', '-p', '-S', '-', ...args)
      .split('\n')
      .map((line) => line.trimEnd())
  /** Logical lines of scrollback and screen. */
  const readLines = () => capture('-J')
  return {
    readLines,
    /** The rows of scrollback and screen, as the terminal has wrapped them. */
    readRows: () => capture(),
    waitFor: async (isShown: (lines: string[]) => boolean) => {
      while (!isShown(readLines())) await wait(POLL_MS)
    },
    resize: (newColumns: number, newRows: number) => {
      tmux('resize-window', '-x', `${newColumns}`, '-y', `${newRows}`)
    },
    type: (keys: string) => {
      tmux('send-keys', '-l', keys)
    },
  }
}
