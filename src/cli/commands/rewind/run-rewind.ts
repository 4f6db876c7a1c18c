import { RewindError } from '../../../ports/checkpoints/apply-states.js'
import { checkpointsFolder } from '../../../ports/checkpoints/checkpoints-folder.js'
import { type Checkpoints, createCheckpoints, type Rewound } from '../../../ports/checkpoints/create-checkpoints.js'
import { findProjectRoot } from '../../../settings/files/find-project-root.js'
import { quote } from '../../../shared/quote.js'
import type { CommandIo } from '../../io/command.js'
import { EXIT, UsageError } from '../../io/exit.js'
import { warn } from '../../io/warn.js'
import { parseOptions } from '../../options/parse-options.js'
import { drawCheckpoints, type ListedCheckpoint, listedCheckpoints, shownPath } from './list-checkpoints.js'

const OPTIONS = { list: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } } as const
const ADVICE = 'Restore the file, or rewind to a later checkpoint.'
/** Maximum number of conflicts that are named. */
const MAX_NAMED = 5

/** Lists the checkpoints of this project, or restores the state before a call. */
export async function runRewind(io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(io.args, OPTIONS)
  const [wanted, ...others] = positionals
  if (others.length > 0) throw new UsageError('name one checkpoint: haft rewind ID.')
  if (wanted !== undefined && values.list) throw new UsageError('use either --list or a checkpoint.')
  const host = await io.host()
  const root = await findProjectRoot({ cwd: host.cwd, home: host.homeDir })
  const checkpoints = createCheckpoints({ folder: checkpointsFolder(host.homeDir, root), session: 'rewind' })
  try {
    const listed = listedCheckpoints(await checkpoints.list())
    if (wanted !== undefined) {
      const id = findId(wanted, listed)
      return await restore(id, { io, checkpoints, root, isJson: values.json, running: runningSince(id, listed) })
    }
    await host.write(values.json ? `${JSON.stringify(listed, null, 2)}\n` : drawCheckpoints(listed, root, io.columns))
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
  readonly running: readonly string[]
}

async function restore(id: string, { io, checkpoints, root, isJson, running }: RestoreContext): Promise<number> {
  let restored: Rewound
  try {
    restored = await checkpoints.restore(id)
  } catch (error) {
    if (!(error instanceof RewindError)) throw error
    if (isJson) io.out(`${JSON.stringify({ restored: false, conflicts: error.conflicts }, null, 2)}\n`)
    warn(io, `nothing was restored: ${conflictText(error, root)}. ${ADVICE}`)
    return EXIT.failed
  }
  const report = { restored: true, ...restored, running }
  io.out(isJson ? `${JSON.stringify(report, null, 2)}\n` : outcomeText(id, restored, root))
  if (restored.uncovered > 0) warn(io, uncoveredText(restored.uncovered))
  for (const each of running) warn(io, `${each} is still running; its further changes are not undone.`)
  return EXIT.done
}

/** Finds a checkpoint by id or unique prefix. */
function findId(wanted: string, listed: readonly ListedCheckpoint[]): string {
  const found = listed.filter(({ id }) => id.startsWith(wanted))
  const exact = found.find(({ id }) => id === wanted) ?? (found.length === 1 ? found[0] : undefined)
  if (exact !== undefined) return exact.id
  const problem = found.length > 1 ? `${found.length} checkpoints start with` : 'unknown checkpoint'
  throw new UsageError(`${problem} ${quote(wanted)}. See haft rewind --list.`)
}

/** The running calls since a checkpoint; the newest is listed first. */
function runningSince(id: string, listed: readonly ListedCheckpoint[]): readonly string[] {
  const since = listed.slice(0, listed.findIndex((each) => each.id === id) + 1)
  return since.filter(({ state }) => state === 'running').map((each) => each.id)
}

function outcomeText(id: string, { id: undo, paths }: Rewound, root: string): string {
  if (undo === undefined) return `Nothing to restore: all files are as before ${id}.\n`
  const lines = paths.map((path) => `  ${shownPath(path, root)}\n`).join('')
  return `Restored the state before ${id}:\n${lines}To undo this: haft rewind ${undo}\n`
}

function conflictText({ conflicts, message }: RewindError, root: string): string {
  if (conflicts.length === 0) return message
  const named = conflicts.slice(0, MAX_NAMED).map(({ path, reason }) => `${shownPath(path, root)} ${reason}`)
  const more = conflicts.length - named.length
  return `${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}

function uncoveredText(count: number): string {
  const calls = count === 1 ? 'one of the later calls is' : `${count} of the later calls are`
  return `${calls} not fully covered: other changes by commands were not undone.`
}
