import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { View } from '../../../contract/views.js'
import { compareTexts, createUnifiedPatch } from '../../../edits/unified-patch.js'
import type { CheckpointDetail } from '../../../inspector/workbench.js'
import { type BlobStore, createBlobStore } from '../../../ports/checkpoints/blob-store.js'
import { CheckpointLog } from '../../../ports/checkpoints/checkpoint-log.js'
import { toCheckpointsFolder } from '../../../ports/checkpoints/checkpoints-folder.js'
import type { EntryState } from '../../../ports/checkpoints/entry-state.js'
import { listChanges } from '../../../ports/checkpoints/plan-rewind.js'
import { computeContentHash } from '../../../shared/content-hash.js'
import { runStepsInSlices } from '../../../shared/steps.js'
import { renderChange } from '../../../tools/editing/edit-views.js'

const MAX_DIFFS = 20
const MAX_DIFF_BYTES = 512 * 1024

interface CheckpointQuery {
  readonly session: string
  readonly toolUseId: string
  readonly homeDir: string
  readonly projectRoot: string
}

/** Reads what a call changed, with the differences as far as the content is still known. */
export async function readCheckpoint(query: CheckpointQuery): Promise<CheckpointDetail | undefined> {
  const folder = toCheckpointsFolder(query.homeDir, query.projectRoot)
  const log = new CheckpointLog(join(folder, 'log.jsonl'), { isDurable: false })
  // There is no log before the first change.
  const records = await log.read().catch(() => [])
  const record = records.findLast(({ session, toolUseId }) => {
    return session === query.session && toolUseId === query.toolUseId
  })
  if (record === undefined) return undefined
  const blobs = createBlobStore(join(folder, 'blobs'))
  const changes: CheckpointDetail['changes'][number][] = []
  for (const { path, change } of listChanges(record)) {
    const diff =
      changes.length < MAX_DIFFS ? await renderDiff(path, record.before[path], record.after?.[path], blobs) : undefined
    changes.push({ path, change, ...(diff !== undefined && { diff }) })
  }
  return { id: record.id, command: `haft rewind ${record.id}`, isCovered: !record.unknown, changes }
}

async function renderDiff(
  path: string,
  before: EntryState | undefined,
  after: EntryState | undefined,
  blobs: BlobStore,
): Promise<View | undefined> {
  const [oldText, newText] = [await readText(before, path, blobs), await readText(after, path, blobs)]
  if (oldText === undefined || newText === undefined) return undefined
  const patch = await runStepsInSlices(createUnifiedPatch(compareTexts(oldText, newText)))
  return renderChange({ filePath: path, patch }, { verbose: true })
}

/** Returns the text of a state: as it was saved, or from the file if that is still the same. */
async function readText(state: EntryState | undefined, path: string, blobs: BlobStore): Promise<string | undefined> {
  if (state?.kind === 'absent') return ''
  if (state?.kind !== 'file' || state.size > MAX_DIFF_BYTES) return undefined
  const content = (await blobs.get(state.hash)) ?? (await readFile(path).catch(() => undefined))
  return content !== undefined && computeContentHash(content) === state.hash ? content.toString('utf8') : undefined
}
