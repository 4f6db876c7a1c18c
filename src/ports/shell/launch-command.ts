import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { ToolCallError } from '../../contract/errors.js'
import type { ShellRequest } from '../../contract/ports/shell.js'
import { quoteForShell } from '../../shared/quote.js'
import { removeProjectFolders } from '../../system/find-program.js'
import { killProcessGroup } from '../../system/processes/end-processes.js'
import type { ProcessTree, SupervisedProcesses } from '../../system/processes/supervised-processes.js'
import { createCommandEnvironment } from './command-environment.js'
import { type CommandFileMaker, type CommandFiles, closeAll } from './command-files.js'
import {
  type CommandPrefix,
  type Confine,
  type ConfinedLaunch,
  type ConfineRequest,
  withInheritedFiles,
} from './confinement.js'
import { requireJudgedPaths, watchJudgedPaths } from './judged-reads.js'
import { checkFolder, toSpawnError } from './spawn-errors.js'

export interface LaunchOptions {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly processes: SupervisedProcesses
  readonly files: CommandFileMaker
  readonly confine: Confine
  /** Called right before the process is spawned. Throws if the command has been cancelled. */
  readonly throwIfCancelled: () => void
}

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface LaunchedCommand {
  readonly tree: ProcessTree
  readonly exited: Promise<Exit>
  readonly confined: ConfinedLaunch
  /** The end of the output pipe from which Haft reads. */
  readonly readEnd: number
  /** Throws if the output may come from another file than the one that permission was decided for. */
  readonly requireUnmoved: (() => Promise<void>) | undefined
  /** The file for the final working folder; undefined if the shell does not report it. */
  readonly folder: number | undefined
}

/** Starts a command as the leader of its own session. Without a controlling terminal, no process in it can prompt the user. */
export async function launchCommand(request: ShellRequest, options: LaunchOptions): Promise<LaunchedCommand> {
  const { id, cwd, confinement, isAllowedByRule = false, folders, judgedPaths } = request
  checkCommand(request)
  checkFolder(cwd)
  await requireJudgedPaths(judgedPaths)
  const { processes, files } = options
  const mark = processes.createMark()
  const environment = createCommandEnvironment({
    host: options.environment,
    isReadOnly: confinement === 'read-only' && !isAllowedByRule,
    requestedVariables: request.environment,
    cwd,
    mark: processes.markVariables(mark),
  })
  files.prepare()
  const confinedLaunch = await options.confine({
    ...{ id, cwd, environment, isAllowedByRule },
    ...(confinement !== undefined && { confinement }),
    ...(folders !== undefined && { folders }),
    ...(judgedPaths !== undefined && { judgedPaths }),
    ...selectListedReads(request),
  })
  try {
    if (confinedLaunch.folder !== undefined) processes.removeIfKilled(confinedLaunch.folder)
    const env = { ...environment, ...confinedLaunch.environment }
    // The analysis identifies programs by their names, so a program of the project with such a name must not be found.
    if (confinement === 'read-only') env.PATH = removeProjectFolders(env.PATH ?? '', folders ?? [cwd])
    const isUnconfinedReader = confinement === 'read-only' && !isAllowedByRule && confinedLaunch.confinement === 'none'
    const requireUnmoved = isUnconfinedReader ? watchJudgedPaths(judgedPaths) : undefined
    const startedCommand = await startWithFiles(
      { prefix: confinedLaunch, ...buildArgv(request), cwd, env, mark },
      options,
    )
    confinedLaunch.watch?.(() => killProcessGroup(startedCommand.tree.leader))
    return { ...startedCommand, confined: confinedLaunch, requireUnmoved }
  } catch (error) {
    await confinedLaunch.release?.()
    throw error
  }
}

/**
 * Returns the reads of a command if its analysis lists them all. Permission was granted for these paths, so only they need to
 * be visible. Other commands were allowed by a rule, the user or the mode, so they may read more.
 */
function selectListedReads({ analysis, cwd }: ShellRequest): Pick<ConfineRequest, 'reads' | 'namedReads'> {
  if (analysis === undefined || analysis.cwd !== cwd) return {}
  const namedReads = analysis.resources.reads.map((path) => resolve(cwd, path))
  return analysis.isReadOnly && !analysis.resources.isUnknown ? { reads: namedReads, namedReads } : { namedReads }
}

interface StartRequest extends Argv {
  readonly prefix: CommandPrefix
  readonly cwd: string
  readonly env: Record<string, string>
  readonly mark: string
}

async function startWithFiles(
  start: StartRequest,
  { processes, files: maker, throwIfCancelled }: LaunchOptions,
): Promise<Omit<LaunchedCommand, 'confined' | 'requireUnmoved'>> {
  const files = await maker.open(start.text)
  const { readEnd, folder } = files
  try {
    processes.removeIfKilled(maker.getFolder())
    throwIfCancelled()
    const { pid, exited } = await spawnCommand(start, files)
    return { tree: processes.adopt(pid, start.mark), exited, readEnd, folder }
  } catch (error) {
    closeAll(readEnd, folder)
    throw error
  } finally {
    closeAll(files.writeEnd, files.command)
  }
}

async function spawnCommand(
  { prefix, argv, cwd, env }: StartRequest,
  { writeEnd, command, folder }: CommandFiles,
): Promise<{ pid: number; exited: Promise<Exit> }> {
  const [program = '', ...args] = [...prefix.argvPrefix, ...argv]
  const bashFiles = [command, folder].filter((descriptor) => descriptor !== undefined)
  // Both streams use one pipe, which preserves their order.
  const child = withInheritedFiles(prefix, ['ignore', writeEnd, writeEnd, ...bashFiles], (stdio) => {
    try {
      return spawn(program, args, { cwd, env, detached: true, stdio })
    } catch (error) {
      throw toSpawnError(program, error)
    }
  })
  const exited = new Promise<Exit>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })))
  const startFailure = new Promise<unknown>((resolve) => child.once('error', resolve))
  if (child.pid === undefined) throw toSpawnError(program, await startFailure)
  return { pid: child.pid, exited }
}

/** A safe limit: Linux accepts at most 128 KiB in one argument. */
const MAX_ARGUMENT_BYTES = 100_000

/** Descriptors that the host opens for bash: the text of the command, and the file for its final working folder. */
const COMMAND_DESCRIPTOR = 3
const FOLDER_DESCRIPTOR = 4
/** Bash moves the folder file to this descriptor, which commands are unlikely to use. */
const REPORT_DESCRIPTOR = 99

/**
 * Writes the working folder. Uses `builtin`, because the command may define its own `pwd`. Prints nothing under `set -x` and
 * does not fail under `set -e`.
 */
const REPORT_FOLDER = `{ builtin pwd; builtin printf '\\0'; } 2>/dev/null >&${REPORT_DESCRIPTOR} || :`
/** Reports only changes, so that a loop does not report in each iteration. */
const REPORT_CHANGE = `{ [[ \${PWD-} == "\${HAFT_FOLDER-}" ]] || { HAFT_FOLDER=\${PWD-}; ${REPORT_FOLDER}; }; } 2>/dev/null`

const READ_COMMAND = [
  `IFS= read -r -d '' -u ${COMMAND_DESCRIPTOR}`,
  `exec ${REPORT_DESCRIPTOR}>&${FOLDER_DESCRIPTOR} ${COMMAND_DESCRIPTOR}<&- ${FOLDER_DESCRIPTOR}>&-`,
  `trap ${quoteForShell(REPORT_FOLDER)} EXIT`,
]
const EXIT_REPORT_SCRIPT = [...READ_COMMAND, 'eval "$REPLY"'].join('; ')
/** For commands that may set their own EXIT trap or exec another program: also reports each change of the folder. */
const CHANGE_REPORT_SCRIPT = [
  ...READ_COMMAND,
  `trap ${quoteForShell(REPORT_CHANGE)} DEBUG`,
  'eval "$REPLY"',
  `{ HAFT_STATUS=$?; ${REPORT_FOLDER}; (exit "$HAFT_STATUS"); } 2>/dev/null`,
].join('; ')

interface Argv {
  readonly argv: readonly string[]
  /** The text that bash reads from descriptor 3. Omitted if the command is an argument. */
  readonly text?: string
}

/** Throws if the shell could not receive the whole command. */
function checkCommand({ shell, command }: ShellRequest): void {
  if (command.includes('\0')) {
    throw new ToolCallError(
      'input_refused',
      'The command contains a NUL character, where a shell would stop reading. Remove it.',
    )
  }
  if (shell === 'powershell' && Buffer.byteLength(command) > MAX_ARGUMENT_BYTES) {
    const advice = 'Write it to a script file and run that.'
    throw new ToolCallError('input_refused', `The command is longer than ${MAX_ARGUMENT_BYTES} bytes. ${advice}`)
  }
}

/**
 * Returns the program that runs the command. Bash reads the text from descriptor 3, because the length of an argument is
 * limited and `pgrep -f` would find it. Bash writes the folder in which the command ends to descriptor 4.
 */
function buildArgv({ shell, command, analysis }: ShellRequest): Argv {
  if (shell === 'powershell') return { argv: ['pwsh', '-NoProfile', '-NonInteractive', '-Command', command] }
  const script = analysis?.mayReplaceShell === false ? EXIT_REPORT_SCRIPT : CHANGE_REPORT_SCRIPT
  return { argv: ['bash', '--noprofile', '--norc', '-c', script], text: command }
}
