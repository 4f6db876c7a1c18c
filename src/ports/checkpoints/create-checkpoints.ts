import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { CheckpointsPort } from '../../contract/ports/checkpoints.js'
import type { AroundChange } from '../files/create-files.js'
import { applyStates } from './apply-states.js'
import { blobStore } from './blob-store.js'
import { CheckpointLog, type CheckpointRecord } from './checkpoint-log.js'
import { type EntryState, type EntryStates, isSameState } from './entry-state.js'
import { type Conflict, planRewind } from './plan-rewind.js'
import { takeState, takeTree } from './take-state.js'
import { writtenPlaces } from './written-places.js'

export interface CheckpointsOptions {
  /** The user's own folder for the checkpoints of one project, outside of it. */
  readonly folder: string
  readonly session: string
}

export interface Rewound {
  /** The checkpoint by which the rewind itself can be undone; undefined where nothing had to be done. */
  readonly id: string | undefined
  readonly paths: readonly string[]
  /** Calls that were undone as far as is known, but may have changed more. */
  readonly uncovered: number
}

/** Nothing was restored, since something of somebody else would have been lost, or is lost already. */
export class RewindError extends Error {
  override readonly name = 'RewindError'

  constructor(
    readonly conflicts: readonly Conflict[],
    message = conflicts.map(({ path, reason }) => `${path} ${reason}`).join('; '),
  ) {
    super(message)
  }
}

export interface Checkpoints extends CheckpointsPort {
  /** Oldest first. */
  list(): Promise<readonly CheckpointRecord[]>
  /** Brings back what was before a call: that call and all later ones of the project are undone, or nothing is. */
  restore(id: string): Promise<Rewound>
  /** For a `files` port: keeps what is changed outside of what a call has said. */
  readonly around: AroundChange
  close(): Promise<void>
}

interface OpenCheckpoint {
  readonly id: string
  readonly before: EntryStates
  readonly trees: readonly string[]
}

export function createCheckpoints({ folder, session }: CheckpointsOptions): Checkpoints {
  const blobs = blobStore(join(folder, 'blobs'))
  const log = new CheckpointLog(join(folder, 'log.jsonl'))
  const open = new Map<string, readonly OpenCheckpoint[]>()

  const begin = async (
    writes: readonly string[],
    told: { toolUseId?: string; unknown?: boolean; goal?: EntryStates; rewindTo?: string },
  ): Promise<OpenCheckpoint> => {
    const { before, trees, isPartial } = await takeBefore(writes, (content) => blobs.put(content))
    const id = randomBytes(4).toString('hex')
    const unknown = isPartial || told.unknown === true
    log.add({ type: 'saved', id, at: Date.now(), session, before, ...told, unknown })
    return { id, before, trees }
  }
  const end = async ({ id, before, trees }: OpenCheckpoint): Promise<void> => {
    const { after, appeared } = await takeAfter(before, trees)
    log.add({ type: 'settled', id, before: appeared, after })
  }

  return {
    async save(toolUseId, writes, { unknown = false } = {}) {
      const earlier = open.get(toolUseId) ?? []
      // A call may make calls inside it; what it found before the first of these is what counts.
      const news = writes.filter((path) => !earlier.some(({ before }) => path in before))
      if (earlier.length > 0 && news.length === 0 && !unknown) return
      open.set(toolUseId, [...earlier, await begin(news, { toolUseId, unknown })])
    },
    async settle(toolUseId) {
      const checkpoints = open.get(toolUseId) ?? []
      open.delete(toolUseId)
      for (const checkpoint of checkpoints) await end(checkpoint)
    },
    async around(paths, change) {
      const kept = [...open.values()].flat()
      const isKept = (place: string) => kept.some(({ before }) => place in before)
      if (paths.every((path) => kept.some(({ before }) => isKeptWhole(before[path])))) return change()
      const places = await Promise.all(paths.map(writtenPlaces))
      if (places.every(({ entries, trees }) => [...entries, ...trees].every(isKept))) return change()
      const checkpoint = await begin(paths, {})
      try {
        return await change()
      } finally {
        await end(checkpoint)
      }
    },
    list: () => log.read(),
    async restore(id) {
      const records = await log.read()
      const start = records.findIndex((record) => record.id === id)
      if (start === -1) throw new RewindError([], `There is no checkpoint ${id}.`)
      const plan = planRewind(records.slice(start))
      const goal = await changesNeeded(plan.goal, plan.expected, plan.conflicts)
      const { uncovered } = plan
      if (Object.keys(goal).length === 0) return { id: undefined, paths: [], uncovered }
      await requireBlobs(goal, async (hash) => (await blobs.get(hash)) !== undefined)
      const checkpoint = await begin(Object.keys(goal), { goal, rewindTo: id })
      try {
        await applyStates(goal, blobs)
      } catch (error) {
        await applyStates(checkpoint.before, blobs)
        throw error
      } finally {
        await end(checkpoint)
      }
      return { id: checkpoint.id, paths: Object.keys(goal), uncovered }
    },
    close: async () => log.close(),
  }
}

/** Whether nothing but this one entry changes with it. */
function isKeptWhole(before: EntryState | undefined): boolean {
  return before?.kind === 'file' || before?.kind === 'absent'
}

async function takeBefore(writes: readonly string[], keep: (content: Uint8Array) => Promise<string>) {
  const before: Record<string, EntryState> = {}
  const trees: string[] = []
  let isPartial = false
  for (const path of writes) {
    const places = await writtenPlaces(path)
    for (const entry of places.entries) before[entry] ??= await takeState(entry, keep)
    for (const tree of places.trees) {
      const states = await takeTree(tree, keep)
      if (states !== undefined) trees.push(tree)
      else isPartial = true
      for (const [entry, state] of states ?? []) before[entry] ??= state
    }
  }
  return { before, trees, isPartial }
}

/** What is there now of what was kept, and what has come to be in folders. */
async function takeAfter(before: EntryStates, trees: readonly string[]) {
  const after: Record<string, EntryState> = {}
  const appeared: Record<string, EntryState> = {}
  for (const [path, was] of Object.entries(before)) {
    after[path] = await takeState(path)
    // A folder where nothing or a file was may have come with all that is in it.
    const hasBecomeFolder = after[path].kind === 'folder' && was.kind !== 'folder'
    if (trees.includes(path) || hasBecomeFolder) Object.assign(after, Object.fromEntries((await takeTree(path)) ?? []))
  }
  for (const path of Object.keys(after)) if (!(path in before)) appeared[path] = { kind: 'absent' }
  return { after, appeared }
}

/** What differs from what is wanted; refuses where it is not what the calls left. */
async function changesNeeded(
  goal: EntryStates,
  expected: Readonly<Record<string, readonly EntryState[]>>,
  known: readonly Conflict[],
): Promise<EntryStates> {
  const needed: Record<string, EntryState> = {}
  const conflicts: Conflict[] = []
  for (const [path, state] of Object.entries(goal)) {
    const now = await takeState(path)
    if (isSameState(now, state)) continue
    const conflict = known.find((each) => each.path === path)
    if (conflict !== undefined) conflicts.push(conflict)
    else if (expected[path]?.some((left) => isSameState(left, now)) !== true) {
      conflicts.push({ path, reason: 'was changed by somebody else since' })
    }
    needed[path] = state
  }
  if (conflicts.length > 0) throw new RewindError(conflicts)
  return needed
}

async function requireBlobs(goal: EntryStates, isThere: (hash: string) => Promise<boolean>): Promise<void> {
  for (const [path, state] of Object.entries(goal)) {
    if (state.kind === 'file' && !(await isThere(state.hash))) {
      throw new RewindError([{ path, reason: 'is not there any more as it was' }])
    }
  }
}
