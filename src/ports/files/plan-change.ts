import { basename, dirname, join } from 'node:path'
import { FileError } from '../../contract/ports/file-error.js'
import type { ExpectedContent, FileChange } from '../../contract/ports/files.js'
import { resolveLinks } from '../node-path-facts.js'
import { onFile } from './file-failure.js'
import { readFile } from './read-file.js'
import { judgedTarget } from './write-file.js'

/** What is to become of one entry of a folder. */
export interface EntryPlan {
  readonly change: FileChange
  readonly path: string
  /** Of a write, what the path leads to; of a removal, the entry itself, which may be a link. */
  readonly target: string
  /** Left out where the entry goes. */
  readonly content?: Uint8Array
  readonly mode?: number
  readonly expected?: ExpectedContent
}

/** Takes changes apart into what becomes of each entry. No entry may be named twice. */
export async function planChanges(changes: readonly FileChange[]): Promise<readonly EntryPlan[]> {
  const plans = (await Promise.all(changes.map((change) => onFile(change.path, () => planChange(change))))).flat()
  const targets = new Set<string>()
  for (const { target, path } of plans) {
    if (targets.has(target)) throw new FileError('failed', path, `${path} is changed twice at once.`)
    targets.add(target)
  }
  return plans
}

async function planChange(change: FileChange): Promise<readonly EntryPlan[]> {
  const { path, expected, realPath } = change
  const leadsTo = await judgedTarget(path, realPath)
  const common = { change, path, ...(expected !== undefined && { expected }) }
  if (change.kind === 'write') {
    const mode = change.mode === undefined ? {} : { mode: change.mode }
    return [{ ...common, target: leadsTo, content: change.content, ...mode }]
  }
  const removal = { ...common, target: join(await resolveLinks(dirname(path)), basename(path)) }
  return change.kind === 'remove' ? [removal] : [await planArrival(change), removal]
}

async function planArrival(change: FileChange & { readonly kind: 'move' }): Promise<EntryPlan> {
  const { path, to } = change
  // Whether it is as expected is seen when it is removed.
  const { content, stat } = await readFile(path)
  return {
    change,
    path: to,
    target: await resolveLinks(to),
    content: change.content ?? content,
    mode: change.mode ?? stat.mode,
    expected: 'absent',
  }
}
