import { RewindError } from '../../../ports/checkpoints/apply-states.js'
import { toCheckpointsFolder } from '../../../ports/checkpoints/checkpoints-folder.js'
import {
  type Checkpoints,
  createCheckpoints,
  type RewindResult,
} from '../../../ports/checkpoints/create-checkpoints.js'
import { findProjectRoot } from '../../../settings/files/find-project-root.js'
import { quote } from '../../../shared/quote.js'
import type { CommandIo } from '../../io/command.js'
import { EXIT, UsageError } from '../../io/exit.js'
import { warn } from '../../io/warn.js'
import { parseOptions } from '../../options/parse-options.js'
import { drawCheckpoints, type ListedCheckpoint, toListedCheckpoints, toShownPath } from './list-checkpoints.js'

const REWIND_OPTIONS = { list: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } } as const
const CONFLICT_ADVICE = 'Restore the file, or rewind to a later checkpoint.'
/** Further conflicts are only counted in the warning. */
const MAX_LISTED_CONFLICTS = 5

/** Lists the checkpoints of this project, or restores the state before a call. */
export async function runRewind(io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(io.args, REWIND_OPTIONS)
  const [idPrefix, ...others] = positionals
  if (others.length > 0) throw new UsageError('expected one checkpoint id: haft rewind ID. See haft rewind --list.')
  if (idPrefix !== undefined && values.list) throw new UsageError('use either --list or a checkpoint id, not both.')
  const host = await io.host()
  const root = await findProjectRoot({ cwd: host.cwd, home: host.homeDir })
  const checkpoints = createCheckpoints({
    folder: toCheckpointsFolder(host.homeDir, root),
    session: 'rewind',
    // The setting `fsync` is not read here: a rewind is so rare that the time for it does not matter.
    isDurable: true,
  })
  try {
    const listedCheckpoints = toListedCheckpoints(await checkpoints.list())
    if (idPrefix !== undefined) {
      const id = findId(idPrefix, listedCheckpoints)
      return await restore(id, {
        io,
        checkpoints,
        root,
        isJson: values.json,
        runningCalls: listRunningSince(id, listedCheckpoints),
      })
    }
    await host.write(
      values.json
        ? `${JSON.stringify(listedCheckpoints, null, 2)}\n`
        : drawCheckpoints(listedCheckpoints, root, io.columns),
    )
    return EXIT.done
  } finally {
    await checkpoints.close()
  }
}

interface RestoreContext {
  readonly io: CommandIo
  readonly checkpoints: Checkpoints
  readonly root: string
  readonly isJson: boolean
  /** Calls that are still running and may change restored files again. */
  readonly runningCalls: readonly string[]
}

async function restore(id: string, { io, checkpoints, root, isJson, runningCalls }: RestoreContext): Promise<number> {
  let rewindResult: RewindResult
  try {
    rewindResult = await checkpoints.restore(id)
  } catch (error) {
    if (!(error instanceof RewindError)) throw error
    if (isJson) io.out(`${JSON.stringify({ restored: false, conflicts: error.conflicts }, null, 2)}\n`)
    warn(io, `nothing was restored: ${formatConflicts(error, root)}. ${CONFLICT_ADVICE}`)
    return EXIT.failed
  }
  const report = { restored: true, ...rewindResult, running: runningCalls }
  io.out(isJson ? `${JSON.stringify(report, null, 2)}\n` : formatOutcome(id, rewindResult, root))
  if (rewindResult.uncovered > 0) warn(io, formatUncovered(rewindResult.uncovered))
  for (const callId of runningCalls) warn(io, `${callId} is still running; its further changes are not undone.`)
  return EXIT.done
}

/** Finds a checkpoint by id or unique prefix. */
function findId(idPrefix: string, listedCheckpoints: readonly ListedCheckpoint[]): string {
  const matches = listedCheckpoints.filter(({ id }) => id.startsWith(idPrefix))
  const match = matches.find(({ id }) => id === idPrefix) ?? (matches.length === 1 ? matches[0] : undefined)
  if (match !== undefined) return match.id
  const problem = matches.length > 1 ? `${matches.length} checkpoints start with` : 'unknown checkpoint'
  throw new UsageError(`${problem} ${quote(idPrefix)}. See haft rewind --list.`)
}

/** Returns the calls since a checkpoint that are still running. `listedCheckpoints` starts with the newest. */
function listRunningSince(id: string, listedCheckpoints: readonly ListedCheckpoint[]): readonly string[] {
  const laterCheckpoints = listedCheckpoints.slice(
    0,
    listedCheckpoints.findIndex((checkpoint) => checkpoint.id === id) + 1,
  )
  return laterCheckpoints.filter(({ state }) => state === 'running').map((checkpoint) => checkpoint.id)
}

function formatOutcome(id: string, { id: undoId, paths }: RewindResult, root: string): string {
  if (undoId === undefined) return `Nothing to restore: all files are already in the state before ${id}.\n`
  const lines = paths.map((path) => `  ${toShownPath(path, root)}\n`).join('')
  return `Restored the state before ${id}:\n${lines}To undo this: haft rewind ${undoId}\n`
}

function formatConflicts({ conflicts, message }: RewindError, root: string): string {
  if (conflicts.length === 0) return message
  const lines = conflicts
    .slice(0, MAX_LISTED_CONFLICTS)
    .map(({ path, reason }) => `${toShownPath(path, root)} ${reason}`)
  const unlistedCount = conflicts.length - lines.length
  return `${lines.join('; ')}${unlistedCount > 0 ? `; and ${unlistedCount} more` : ''}`
}

function formatUncovered(count: number): string {
  const calls = count === 1 ? 'one of the later calls is' : `${count} of the later calls are`
  return `${calls} not fully covered by checkpoints: changes that were not recorded are not undone.`
}
