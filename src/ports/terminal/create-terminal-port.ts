import { ToolCallError } from '../../contract/errors.js'
import type { TerminalPort } from '../../contract/ports/terminal.js'
import { killProcessGroup } from '../../system/processes/end-processes.js'
import { SupervisedProcesses } from '../../system/processes/supervised-processes.js'
import { createTerminalEnvironment } from '../shell/command-environment.js'
import { type ConfinedLaunch, type ConfinePort, createOpeningArgv, NO_SANDBOX } from '../shell/confinement.js'
import { checkFolder } from '../shell/spawn-errors.js'
import { PtySession } from './pty-session.js'

export interface TerminalPortOptions {
  /** The variables that programs inherit. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly sandbox?: ConfinePort | undefined
  readonly platform?: string
}

export interface ManagedTerminalPort extends TerminalPort {
  /** Ends all programs and all processes that they started. */
  dispose(): Promise<void>
}

const MAX_SESSIONS = 8
const DEFAULT_COLUMNS = 100
const DEFAULT_ROWS = 30
const MAX_COLUMNS = 400
const MAX_ROWS = 200

/** Creates a port for pseudo-terminals of this machine. The libraries are loaded at first use. */
export function createTerminalPort({
  environment,
  sandbox = NO_SANDBOX,
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
      const mark = processes.createMark()
      const id = `terminal-${++openedCount}`
      const variables = {
        ...createTerminalEnvironment(environment),
        TERM: 'xterm-256color',
        ...processes.markVariables(mark),
      }
      const confinedLaunch = await sandbox.confine({ id, cwd, keepsTerminal: true })
      try {
        if (disposal !== undefined)
          throw new ToolCallError('unavailable', 'No terminal was opened: the terminal port is closed.')
        if (sessions.size >= MAX_SESSIONS) throw createTooManyError([...sessions.keys()])
        if (confinedLaunch.folder !== undefined) processes.removeIfKilled(confinedLaunch.folder)
        const size = {
          cols: clamp(columns ?? DEFAULT_COLUMNS, MAX_COLUMNS),
          rows: clamp(rows ?? DEFAULT_ROWS, MAX_ROWS),
        }
        const [program, ...args] = createArgv(command, confinedLaunch, platform)
        const pty = libraries.spawn(program, [...args], {
          ...size,
          cwd,
          name: 'xterm-256color',
          env: { ...variables, ...confinedLaunch.environment },
          encoding: null,
        })
        const tree = processes.adopt(pty.pid, mark)
        const terminal = new libraries.Terminal({ ...size, scrollback: 0, allowProposedApi: true })
        for (const notice of listNotices(confinedLaunch)) terminal.writeln(notice)
        confinedLaunch.watch?.((reason) => {
          killProcessGroup(pty.pid)
          terminal.writeln(reason)
        })
        const onClosed = () => sessions.delete(id)
        const session = new PtySession({ id, command, tree, pty, terminal, onClosed, onEnded: confinedLaunch.release })
        sessions.set(id, session)
        return session
      } catch (error) {
        await confinedLaunch.release?.()
        throw error
      }
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
  // Without a bundler, the exports of a CommonJS module are in `default`.
  const { Terminal } = 'default' in headless ? (headless.default as typeof headless) : headless
  return { spawn: pty.spawn, Terminal }
}

/**
 * Bubblewrap stays in the process group of the command, so it must ignore the keys that interrupt the command. The command
 * itself must not: an ignored signal is inherited, and only GNU env can reset it. Without GNU env, Ctrl-C reaches only programs
 * that handle it themselves.
 */
const IGNORE_INTERRUPTS_SCRIPT = `trap '' INT QUIT; exec "$@"`
const RESET_INTERRUPTS = `if env --default-signal=INT true 2> /dev/null
then exec env --default-signal=INT,QUIT /bin/bash -c "$0"
else exec /bin/bash -c "$0"
fi`

type Argv = readonly [string, ...string[]]

function createArgv(command: string, confinedLaunch: ConfinedLaunch, platform: string): Argv {
  if (platform === 'win32') return createOpeningArgv(confinedLaunch, ['cmd.exe', '/d', '/s', '/c', command])
  if (platform !== 'linux' || confinedLaunch.confinement === 'none')
    return createOpeningArgv(confinedLaunch, ['/bin/bash', '-c', command])
  const argv = createOpeningArgv(confinedLaunch, ['/bin/sh', '-c', RESET_INTERRUPTS, command])
  return ['/bin/sh', '-c', IGNORE_INTERRUPTS_SCRIPT, 'sh', ...argv]
}

/** Returns the warning for the user if a sandbox is enabled but does not work. */
function listNotices(confinedLaunch: ConfinedLaunch): readonly string[] {
  return confinedLaunch.confinement === 'none' ? confinedLaunch.explain({ output: '', exitCode: null }) : []
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
