import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import type { ShellRequest } from '../../contract/ports/shell.js'
import { withoutProjectFolders } from '../../system/find-program.js'
import type { ProcessTree, SupervisedProcesses } from '../../system/processes/supervised-processes.js'
import { resolveLinks } from '../paths/node-path-facts.js'
import { createMovedError } from '../paths/opened-path.js'
import { createCommandEnvironment } from './command-environment.js'
import { type CommandFileMaker, type CommandFiles, closeAll } from './command-files.js'
import { type Argv, buildArgv, checkCommand } from './command-line.js'
import {
  type CommandPrefix,
  type Confine,
  type ConfinedLaunch,
  type ConfineRequest,
  withInheritedFiles,
} from './confinement.js'
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
  /** The file for the final working folder; undefined if the shell does not report it. */
  readonly folder: number | undefined
}

/** Starts a command as the leader of its own session. Without a controlling terminal, no process in it can prompt the user. */
export async function launchCommand(request: ShellRequest, options: LaunchOptions): Promise<LaunchedCommand> {
  const { id, cwd, confinement, isAllowedByRule = false, folders, judgedPaths } = request
  checkCommand(request)
  checkFolder(cwd)
  await requireJudgedPaths(request)
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
    if (confinedLaunch.folder !== undefined) processes.removeAtDeath(confinedLaunch.folder)
    const env = { ...environment, ...confinedLaunch.environment }
    // The analysis knows programs by their names, so a program of the project with such a name must not be found.
    if (confinement === 'read-only') env.PATH = withoutProjectFolders(env.PATH ?? '', folders ?? [cwd])
    const startedCommand = await startWithFiles(
      { prefix: confinedLaunch, ...buildArgv(request), cwd, env, mark },
      options,
    )
    return { ...startedCommand, confined: confinedLaunch }
  } catch (error) {
    await confinedLaunch.release?.()
    throw error
  }
}

/**
 * Throws if a path of the command leads elsewhere than when permission was decided. A path can still change while the command
 * runs; then only the sandbox restricts what it reaches.
 */
async function requireJudgedPaths({ judgedPaths }: ShellRequest): Promise<void> {
  for (const [path, { realPath }] of judgedPaths ?? [])
    if ((await resolveLinks(path)) !== realPath) throw createMovedError(path)
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
): Promise<Omit<LaunchedCommand, 'confined'>> {
  const files = await maker.open(start.text)
  const { readEnd, folder } = files
  try {
    processes.removeAtDeath(maker.folder())
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
