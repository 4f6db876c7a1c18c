import type { EntryState, EntryStates } from './entry-state.js'
import { type NameContent, takeState, takeTree } from './take-state.js'
import { writtenPlaces } from './written-places.js'

/** What stands at all places that a call will write to, and the folders in which anything may change. */
export async function takeBefore(writes: readonly string[], keep: NameContent) {
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
export async function takeAfter(before: EntryStates, trees: readonly string[]) {
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
