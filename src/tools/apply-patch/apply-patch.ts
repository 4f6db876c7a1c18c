import { resolve } from 'node:path'
import { ToolCallError } from '../../contract/errors.js'
import type { FileChange, FilesPort, WrittenFile } from '../../contract/ports/files.js'
import type { EditStrategy } from '../../edits/edit-strategies.js'
import { explainEdit } from '../../edits/explain-edit.js'
import type { PatchChunk, PatchSection } from '../../edits/patch/parse-patch.js'
import { type ChunkProblem, planChunks } from '../../edits/patch/plan-chunks.js'
import { decodeText } from '../../edits/text/encoding.js'
import { ChangeExtent } from '../../edits/text/text-change.js'
import { createUnifiedPatch } from '../../edits/unified-patch.js'
import { runStepsInSlices } from '../../shared/steps.js'
import { type KnownFile, openKnownFile, openUnchangedFile } from '../editing/known-file.js'
import {
  changeTextOrExplain,
  createRemarks,
  describeLinks,
  editWithChecks,
  encodeNewFile,
  rememberFormatted,
  rememberWritten,
  selectLooseStrategies,
} from '../editing/save-file.js'
import { listWrittenPaths } from './patch-paths.js'

interface PatchContext {
  readonly files: FilesPort
  readonly cwd: string
  readonly signal: AbortSignal
}

/** Applies all changes of a patch, or none of them. */
export async function applyPatch(sections: readonly PatchSection[], { files, cwd, signal }: PatchContext) {
  const paths = sections.flatMap(listWrittenPaths).map((path) => resolve(cwd, path))
  const plannedSections: PlannedSection[] = []
  // Planned one after the other, so that the first problem in the patch is the one reported.
  for (const section of sections) plannedSections.push(await planSection(section, { files, cwd, signal }))
  const write = () => files.writeAll(plannedSections.map(({ change }) => change))
  const { result: writtenFiles, report } = await editWithChecks(files, paths, write, signal)
  for (const [index, plan] of plannedSections.entries())
    await rememberSection(files, plan, writtenFiles[index], report.reformatted)
  const strategies = plannedSections.flatMap((plan) => plan.strategies)
  const linkRemarks = writtenFiles.flatMap((file) => (file === undefined ? [] : describeLinks(file.realPath, file)))
  const remarks = createRemarks(strategies, { isReformatted: false, notes: [...linkRemarks, ...report.notes] })
  const formatterNotes = report.reformatted.map(
    (path) => `A formatter changed ${path}: read it before you rely on its layout.`,
  )
  return {
    files: sections.map((section, index) => describeOutcome(section, plannedSections[index], cwd)),
    remarks: [...remarks, ...formatterNotes],
  }
}

async function rememberSection(
  files: FilesPort,
  { knownFile, change }: PlannedSection,
  writtenFile: WrittenFile | undefined,
  reformattedPaths: readonly string[],
): Promise<void> {
  if (knownFile !== undefined && knownFile.realPath !== writtenFile?.realPath)
    files.readFileState.delete(knownFile.realPath)
  if (writtenFile === undefined || change.kind === 'remove' || change.content === undefined) return
  rememberWritten(files, writtenFile, change.content, knownFile)
  const path = change.kind === 'move' ? change.to : change.path
  if (reformattedPaths.includes(path)) await rememberFormatted(files, writtenFile, change.content)
}

function describeOutcome(section: PatchSection, plannedSection: PlannedSection | undefined, cwd: string) {
  const movedTo = section.kind === 'update' ? section.moveTo : undefined
  return {
    filePath: resolve(cwd, section.path),
    kind: section.kind,
    patch: plannedSection?.patch ?? '',
    ...(selectLooseStrategies(plannedSection?.strategies ?? []).length > 0 && { differs: true }),
    ...(movedTo !== undefined && { movedTo: resolve(cwd, movedTo) }),
  }
}

interface PlannedSection {
  readonly change: FileChange
  readonly patch: string
  readonly strategies: readonly EditStrategy[]
  /** The file as the agent knew it before the change. */
  readonly knownFile?: KnownFile
}

interface PlanContext {
  readonly files: FilesPort
  readonly cwd: string
  readonly signal: AbortSignal
}

/** Plans the change for a section without writing anything. */
async function planSection(section: PatchSection, context: PlanContext): Promise<PlannedSection> {
  const path = resolve(context.cwd, section.path)
  if (section.kind === 'add') return planAddition(path, section.content, context)
  const openSectionFile = section.kind === 'delete' ? openUnchangedFile : openKnownFile
  const knownFile = await openSectionFile(context.files, path, context.signal)
  const { content, realPath } = knownFile
  if (section.kind === 'delete') {
    await refuseLink(context.files, path, 'deletes')
    return { change: { kind: 'remove', path, expected: { content }, realPath }, patch: '', strategies: [], knownFile }
  }
  return planUpdate(section, path, knownFile, context)
}

async function planAddition(path: string, content: string, { files }: PlanContext): Promise<PlannedSection> {
  if ((await files.stat(path)) !== undefined) {
    throw new ToolCallError(
      'tool_failed',
      `${path} already exists: use '*** Update File:' to change it. Nothing was changed.`,
    )
  }
  return {
    change: { kind: 'write', path, content: encodeNewFile(content), expected: 'absent' },
    patch: '',
    strategies: [],
  }
}

async function planUpdate(
  section: Extract<PatchSection, { kind: 'update' }>,
  path: string,
  knownFile: KnownFile,
  { files, cwd, signal }: PlanContext,
): Promise<PlannedSection> {
  const textBefore = decodeText(knownFile.content)
  const plan = await runStepsInSlices(planChunks(textBefore.text, section.chunks), signal)
  if (plan.kind === 'failed') throw await describeChunkProblem(path, textBefore.text, section.chunks, plan)
  const textAfter = changeTextOrExplain(textBefore, plan.changes)
  const extent = new ChangeExtent()
  extent.add(textBefore.text, plan.changes)
  const changedText = extent.compareTexts(textBefore.text, textAfter.text)
  const commonFields = {
    path,
    content: textAfter.bytes,
    expected: { content: knownFile.content },
    realPath: knownFile.realPath,
  }
  const details = {
    patch: plan.changes.length === 0 ? '' : await runStepsInSlices(createUnifiedPatch(changedText)),
    strategies: plan.strategies,
    knownFile,
  }
  if (section.moveTo === undefined) return { change: { kind: 'write', ...commonFields }, ...details }
  await refuseLink(files, path, 'moves')
  return { change: { kind: 'move', to: resolve(cwd, section.moveTo), ...commonFields }, ...details }
}

/** Refuses a link, because it is unclear whether the link or its target is meant. */
async function refuseLink(files: FilesPort, path: string, verb: string): Promise<void> {
  if ((await files.stat(path))?.kind !== 'symlink') return
  throw new ToolCallError(
    'tool_failed',
    `${path} is a symbolic link, and the patch ${verb} it. Name the target file instead. Nothing was changed.`,
  )
}

const AMBIGUITY_ADVICE = 'Include more surrounding lines, or name the head of the block with "@@ LINE" above them.'

/** Explains to the model why a chunk does not match the file, and how to correct it. */
async function describeChunkProblem(
  path: string,
  text: string,
  chunks: readonly PatchChunk[],
  { chunk: chunkNumber, problem }: { readonly chunk: number; readonly problem: ChunkProblem },
): Promise<ToolCallError> {
  const chunk = chunks[chunkNumber - 1]
  const { anchors = [], oldLines = [], newLines = [] } = chunk ?? {}
  if (problem.kind === 'missing' || problem.kind === 'ambiguous') {
    const edit = { oldString: oldLines.join('\n'), newString: newLines.join('\n') }
    const anchorText =
      anchors.length === 0 ? '' : ` below ${anchors.map((anchor) => JSON.stringify(anchor)).join(', ')}`
    const terms = { file: path, old: `Chunk ${chunkNumber} of the patch${anchorText}`, whenAmbiguous: AMBIGUITY_ADVICE }
    return new ToolCallError('tool_failed', await runStepsInSlices(explainEdit(text, edit, problem, terms)))
  }
  return new ToolCallError(
    'tool_failed',
    `${path}, chunk ${chunkNumber}: ${PROBLEM_TEXTS[problem.kind]} Nothing was changed.`,
  )
}

const PROBLEM_TEXTS = {
  'anchor missing':
    'the line after "@@" is not in the file, or not inside the block named before it. Copy the line from the file.',
  'no context': 'added lines need a place: include surrounding lines, "@@ LINE" above or "*** End of File" below.',
  overlap: 'it changes lines that an earlier chunk also changes. Merge both chunks.',
} as const
