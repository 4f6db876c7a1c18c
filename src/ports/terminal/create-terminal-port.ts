import { ToolCallError } from '../../contract/errors.js'
import type { TerminalPort } from '../../contract/ports/terminal.js'
import { SupervisedProcesses } from '../../system/processes/supervised-processes.js'
import { checkFolder } from '../shell/spawn-errors.js'
import { PtySession } from './pty-session.js'

export interface TerminalPortOptions {
  /** Variables that programs inherit. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly platform?: string
}

export interface ManagedTerminalPort extends TerminalPort {
  /** Ends all programs and everything that they started. */
  dispose(): Promise<void>
}

const MAX_SESSIONS = 8
const DEFAULT_COLUMNS = 100
const DEFAULT_ROWS = 30
const MAX_COLUMNS = 400
const MAX_ROWS = 200

/** Pseudo-terminals of this machine. Their libraries are loaded at first use. */
export function createTerminalPort({
  environment,
  platform = process.platform,
}: TerminalPortOptions): ManagedTerminalPort {
  const sessions = new Map<string, PtySession>()
  const processes = new SupervisedProcesses(environment)
  let openedCount = 0
  let disposal: Promise<void> | undefined
  return {
    async open(command, { cwd, columns, rows }) {
      checkFolder(cwd)
      const libraries = await loadTerminal()
      if (disposal !== undefined)
        throw new ToolCallError('unavailable', 'No terminal was opened: the terminal port is closed.')
      if (sessions.size >= MAX_SESSIONS) throw createTooManyError([...sessions.keys()])
      const mark = processes.nextMark()
      const id = `terminal-${++openedCount}`
      const size = {
        cols: clamp(columns ?? DEFAULT_COLUMNS, MAX_COLUMNS),
        rows: clamp(rows ?? DEFAULT_ROWS, MAX_ROWS),
      }
      const [program, ...args] = chooseShell(command, platform)
      const pty = libraries.spawn(program, args, {
        ...size,
        cwd,
        name: 'xterm-256color',
        env: { ...environment, TERM: 'xterm-256color', ...processes.markVariables(mark) },
        encoding: null,
      })
      const tree = processes.adopt(pty.pid, mark)
      const terminal = new libraries.Terminal({ ...size, scrollback: 0, allowProposedApi: true })
      const session = new PtySession({ id, command, tree, pty, terminal, onClosed: () => sessions.delete(id) })
      sessions.set(id, session)
      return session
    },
    get: (id) => sessions.get(id),
    list: () => [...sessions.values()].map(({ id, command }) => ({ id, command })),
    dispose() {
      disposal ??= closeAll([...sessions.values()], processes)
      return disposal
    },
  }
}

async function loadTerminal() {
  const [pty, headless] = await Promise.all([import('@lydell/node-pty'), import('@xterm/headless')])
  // Without a bundler the exports of a CommonJS module are under `default`.
  const { Terminal } = 'default' in headless ? (headless.default as typeof headless) : headless
  return { spawn: pty.spawn, Terminal }
}

function chooseShell(command: string, platform: string): readonly [string, ...string[]] {
  return platform === 'win32' ? ['cmd.exe', '/d', '/s', '/c', command] : ['/bin/bash', '-c', command]
}

async function closeAll(sessions: readonly PtySession[], processes: SupervisedProcesses): Promise<void> {
  await Promise.all(sessions.map((session) => session.close()))
  await processes.dispose()
}

function createTooManyError(ids: readonly string[]): ToolCallError {
  return new ToolCallError(
    'tool_failed',
    `${ids.length} terminals are open, which is the limit. Close one first: ${ids.join(', ')}.`,
  )
}

function clamp(size: number, maxSize: number): number {
  return Math.max(2, Math.min(Math.floor(size), maxSize))
}
