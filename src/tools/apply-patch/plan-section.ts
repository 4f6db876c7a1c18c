import { resolve } from 'node:path'
import { ToolCallError } from '../../contract/errors.js'
import type { FileChange, FilesPort } from '../../contract/ports/files.js'
import { ChangeExtent } from '../../shared/text-edit/change-extent.js'
import { decodeText } from '../../shared/text-edit/decode-text.js'
import type { EditStrategy } from '../../shared/text-edit/edit-strategies.js'
import type { PatchSection } from '../../shared/text-edit/patch/patch-section.js'
import { planChunks } from '../../shared/text-edit/patch/plan-chunks.js'
import { unifiedPatch } from '../../shared/text-edit/unified-patch.js'
import { encoded, encodedNew } from '../encoded.js'
import { type KnownFile, openKnownFile, openUntouchedFile } from '../open-known-file.js'
import { chunkProblem } from './chunk-problem.js'

/** What one section of a patch comes down to. */
export interface PlannedSection {
  readonly change: FileChange
  readonly patch: string
  readonly strategies: readonly EditStrategy[]
  /** What the agent knew of the file before, and where it is. */
  readonly known?: KnownFile
}

interface Ground {
  readonly files: FilesPort
  readonly cwd: string
  readonly signal: AbortSignal
}

/** Finds the place of all that a section changes; nothing is written yet. */
export async function planSection(section: PatchSection, ground: Ground): Promise<PlannedSection> {
  const path = resolve(ground.cwd, section.path)
  if (section.kind === 'add') return planAddition(path, section.content, ground)
  const open = section.kind === 'delete' ? openUntouchedFile : openKnownFile
  const known = await open(ground.files, path, ground.signal)
  const { content, realPath } = known
  if (section.kind === 'delete') {
    await refuseLink(ground.files, path, 'deletes')
    return { change: { kind: 'remove', path, expected: { content }, realPath }, patch: '', strategies: [], known }
  }
  return planUpdate(section, path, known, ground)
}

async function planAddition(path: string, content: string, { files }: Ground): Promise<PlannedSection> {
  if ((await files.stat(path)) !== undefined) {
    throw new ToolCallError(
      'tool_failed',
      `${path} exists already: use '*** Update File:' for it. Nothing was changed.`,
    )
  }
  return {
    change: { kind: 'write', path, content: encodedNew(content), expected: 'absent' },
    patch: '',
    strategies: [],
  }
}

async function planUpdate(
  section: Extract<PatchSection, { kind: 'update' }>,
  path: string,
  known: KnownFile,
  { files, cwd }: Ground,
): Promise<PlannedSection> {
  const before = decodeText(known.content)
  const plan = planChunks(before.text, section.chunks)
  if (plan.kind === 'failed') throw chunkProblem(path, before.text, section.chunks, plan)
  const after = encoded(before, plan.changes)
  const extent = new ChangeExtent()
  extent.add(before.text, plan.changes)
  const changed = extent.between(before.text, after.text)
  const common = { path, content: after.bytes, expected: { content: known.content }, realPath: known.realPath }
  const done = { patch: plan.changes.length === 0 ? '' : unifiedPatch(changed), strategies: plan.strategies, known }
  if (section.moveTo === undefined) return { change: { kind: 'write', ...common }, ...done }
  await refuseLink(files, path, 'moves')
  return { change: { kind: 'move', to: resolve(cwd, section.moveTo), ...common }, ...done }
}

/** Whether the link or the file is meant cannot be told. */
async function refuseLink(files: FilesPort, path: string, verb: string): Promise<void> {
  if ((await files.stat(path))?.kind !== 'symlink') return
  throw new ToolCallError(
    'tool_failed',
    `${path} is a link, and the patch ${verb} it. Name the file itself. Nothing was changed.`,
  )
}
