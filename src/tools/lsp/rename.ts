import { ToolCallError } from '../../contract/errors.js'
import type { FileChange, ReadFile } from '../../contract/ports/files.js'
import { type DecodedText, decodeText } from '../../edits/text/encoding.js'
import { ChangeExtent, type TextChange } from '../../edits/text/text-change.js'
import { createUnifiedPatch } from '../../edits/unified-patch.js'
import { isPathInside } from '../../shared/path-containment.js'
import { runStepsInSlices } from '../../shared/steps.js'
import {
  changeTextOrExplain,
  describeLinks,
  editWithChecks,
  rememberFormatted,
  rememberWritten,
} from '../editing/save-file.js'
import { type ProtocolEdit, readWorkspaceEdit } from './read-answer.js'
import { type OperationContext, requestOrExplain, requireName, toPosition } from './run-operation.js'
import { type LspInput, type LspOutput, MAX_CHANGED_FILES } from './schema.js'
import { isHiddenFile, shortenPath } from './source-text.js'

/** The change of one file. */
interface PlannedFile {
  readonly path: string
  readonly fileBefore: ReadFile
  readonly textAfter: DecodedText
  readonly count: number
  readonly patch: string
}

const MAX_FILE_BYTES = 5 * 1024 ** 2

/** Asks the server what a rename changes. Nothing is written. Throws if a file may not be changed. */
export async function planRename(
  input: LspInput,
  path: string,
  context: OperationContext,
): Promise<readonly PlannedFile[]> {
  const at = toPosition(input, path)
  const { editsByPath, problem } = readWorkspaceEdit(await requestOrExplain(input, at, context))
  if (problem !== undefined) throw refuse(problem)
  if (editsByPath.size === 0) {
    await requireName(at, context)
    throw refuse(`The language server cannot rename the symbol at ${at.line}:${at.character}.`)
  }
  if (editsByPath.size > MAX_CHANGED_FILES)
    throw refuse(`It would change ${editsByPath.size} files; the limit is ${MAX_CHANGED_FILES}.`)
  for (const changedPath of editsByPath.keys()) await requireChangeable(changedPath, context)
  const plannedFiles: PlannedFile[] = []
  for (const [changedPath, edits] of editsByPath) plannedFiles.push(await planFile(changedPath, edits, context))
  return plannedFiles
}

async function requireChangeable(path: string, context: OperationContext): Promise<void> {
  const realPath = await context.files.realPath(path)
  if (!context.workingFolders.some((folder) => isPathInside(realPath, folder)))
    throw refuse(`It would change ${path}, which is outside the working folders.`)
  // The name of a hidden file is not shown either.
  if (await isHiddenFile(path, context)) throw refuse('It would change a file that permission rules hide.')
}

async function planFile(
  path: string,
  edits: readonly ProtocolEdit[],
  { files, signal }: OperationContext,
): Promise<PlannedFile> {
  const fileBefore = await files.read(path, { maxBytes: MAX_FILE_BYTES, signal })
  const textBefore = decodeText(fileBefore.content)
  const changes = toTextChanges(textBefore.text, edits)
  if (changes === undefined) throw refuse(`The server returned edits that do not fit ${path}. Try again.`)
  const textAfter = changeTextOrExplain(textBefore, changes)
  const extent = new ChangeExtent()
  extent.add(textBefore.text, changes)
  const patch = await runStepsInSlices(createUnifiedPatch(extent.compareTexts(textBefore.text, textAfter.text)))
  return { path, fileBefore, textAfter, count: changes.length, patch }
}

/** Returns the changes, sorted by offset; undefined if an edit is outside the text or overlaps another one. */
function toTextChanges(text: string, edits: readonly ProtocolEdit[]): readonly TextChange[] | undefined {
  const lineStarts = [0, ...Array.from(text.matchAll(/\r\n|\n|\r/g), ({ 0: ending, index }) => index + ending.length)]
  const toOffset = ({ line, character }: ProtocolEdit['start']) => {
    const start = lineStarts[line]
    const offset = start === undefined ? Number.NaN : start + character
    return offset <= (lineStarts[line + 1] ?? text.length) ? offset : Number.NaN
  }
  const changes = edits
    .map(({ start, end, newText }) => ({ start: toOffset(start), end: toOffset(end), text: newText }))
    .sort((a, b) => a.start - b.start)
  const isValid = changes.every(({ start, end }, index) => start <= end && start >= (changes[index - 1]?.end ?? 0))
  return isValid ? changes : undefined
}

/** Renames a symbol in exactly the files that permission was given for: all of them or none. */
export async function applyRename(input: LspInput, path: string, context: OperationContext): Promise<LspOutput> {
  const { changedFiles, newName = '' } = input
  const plannedFiles = await planRename(input, path, context)
  if (changedFiles === undefined || !hasSameFiles(plannedFiles, changedFiles, context.cwd))
    throw refuse(
      'The files of the rename have changed since permission was given. Repeat the call without changedFiles.',
    )
  const { files, signal, cwd } = context
  const changes = plannedFiles.map(
    ({ path: changedPath, fileBefore, textAfter }): FileChange => ({
      kind: 'write',
      path: changedPath,
      content: textAfter.bytes,
      expected: { content: fileBefore.content },
      realPath: fileBefore.realPath,
    }),
  )
  const paths = plannedFiles.map((file) => file.path)
  const { result: writtenFiles, report } = await editWithChecks(files, paths, () => files.writeAll(changes), signal)
  const linkRemarks: string[] = []
  for (const [index, { path: changedPath, fileBefore, textAfter }] of plannedFiles.entries()) {
    const writtenFile = writtenFiles[index]
    const entry = files.readFileState.get(fileBefore.realPath)
    if (writtenFile === undefined) continue
    linkRemarks.push(...describeLinks(changedPath, writtenFile))
    // A file that the agent has not read stays unread.
    if (entry === undefined) continue
    const formerFile = { entry, content: fileBefore.content, mtimeMs: fileBefore.stat.mtimeMs }
    rememberWritten(files, writtenFile, textAfter.bytes, formerFile)
    if (report.reformatted.includes(changedPath)) await rememberFormatted(files, writtenFile, textAfter.bytes)
  }
  const formatterRemarks = report.reformatted.map(
    (changedPath) => `A formatter changed ${shortenPath(changedPath, cwd)}.`,
  )
  return {
    type: 'renamed',
    newName,
    files: plannedFiles.map(({ path: changedPath, count, patch }) => ({
      filePath: shortenPath(changedPath, cwd),
      count,
      patch,
    })),
    remarks: [...linkRemarks, ...report.notes, ...formatterRemarks],
  }
}

export function hasSameFiles(
  plannedFiles: readonly PlannedFile[],
  changedFiles: readonly string[],
  cwd: string,
): boolean {
  const names = listChangedFiles(plannedFiles, cwd)
  const givenNames = new Set(changedFiles)
  return names.length === givenNames.size && names.every((name) => givenNames.has(name))
}

/** Lists the changed files in the form that is added to the input. */
export function listChangedFiles(plannedFiles: readonly PlannedFile[], cwd: string): string[] {
  return plannedFiles.map(({ path }) => shortenPath(path, cwd)).sort()
}

const MAX_PREVIEW_LINES = 400

/** Renders the preview that the user sees before giving permission. */
export function previewRename(plannedFiles: readonly PlannedFile[], cwd: string): string {
  const lines = plannedFiles.flatMap(({ path, patch }) => [shortenPath(path, cwd), ...patch.trimEnd().split('\n')])
  const moreCount = lines.length - MAX_PREVIEW_LINES
  return [...lines.slice(0, MAX_PREVIEW_LINES), ...(moreCount > 0 ? [`… ${moreCount} more lines`] : [])].join('\n')
}

function refuse(reason: string): ToolCallError {
  return new ToolCallError('tool_failed', `The rename was not made. ${reason}`)
}
