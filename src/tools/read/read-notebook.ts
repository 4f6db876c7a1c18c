import { ToolCallError } from '../../contract/errors.js'
import type { FilesPort } from '../../contract/ports/files.js'
import { decodeText } from '../../edits/text/encoding.js'
import { detectImageType } from './file-kind.js'
import { fitImage } from './fit-image.js'
import { type NotebookCell, type NotebookOutput, parseNotebook } from './notebook.js'
import { type ReadAnswer, type ResolvedRequest, readBudget } from './read-request.js'
import { readWhole, respondWithFile } from './read-whole-file.js'
import type { ReadOutput } from './schema.js'

/** Reads a notebook by cell; undefined if the file is not a notebook and must be read as text. */
export async function readNotebook(files: FilesPort, request: ResolvedRequest): Promise<ReadAnswer | undefined> {
  const { path, limit } = request
  const file = await readWhole(files, request)
  const notebook = parseNotebook(decodeText(file.content).text)
  if (notebook === undefined) return undefined
  const cellCount = notebook.cells.length
  const firstCell = Math.max(1, request.offset ?? 1)
  if (firstCell > Math.max(1, cellCount))
    throw new ToolCallError(
      'tool_failed',
      `${path} has ${cellCount} cells; there is no cell ${firstCell}. Choose a smaller offset.`,
    )
  const selectedCells = notebook.cells.slice(firstCell - 1, limit === undefined ? undefined : firstCell - 1 + limit)
  const parts = await Promise.all(selectedCells.map((cell) => readCellParts(cell, notebook.language)))
  checkBudget(parts, readBudget(files), path, firstCell)
  const part = `cells ${firstCell} to ${firstCell + selectedCells.length - 1}`
  const shownRange = { firstCell, shownCells: selectedCells.length, parts: parts.flat() }
  return respondWithFile(files, request, file, part, { type: 'notebook', path, cellCount, ...shownRange })
}

function checkBudget(
  cells: readonly (readonly CellPart[])[],
  budget: { readonly bytes: number; readonly description: string },
  path: string,
  firstCell: number,
): void {
  let usedBytes = 0
  for (const [at, parts] of cells.entries()) {
    for (const part of parts) usedBytes += 'text' in part ? Buffer.byteLength(part.text) : 0
    if (usedBytes <= budget.bytes) continue
    const advice =
      at === 0
        ? 'Extract the part you need with a command such as jq.'
        : `Read cells ${firstCell} to ${firstCell + at - 1} with offset ${firstCell} and limit ${at}.`
    throw new ToolCallError('tool_failed', `${path} exceeds the limit of ${budget.description} for one read. ${advice}`)
  }
}

type CellPart = Extract<ReadOutput, { type: 'notebook' }>['parts'][number]

const MAX_OUTPUT_CHARS = 10_000

/** A cell for the model: its source, then its outputs. */
async function readCellParts(cell: NotebookCell, language: string): Promise<readonly CellPart[]> {
  const { id, type, source, executionCount, outputs } = cell
  const kind = type === 'code' ? `code, ${language}` : type
  const count = executionCount === undefined ? '' : `, run ${executionCount}`
  const parts: CellPart[] = [{ text: `<cell id="${id}" (${kind}${count})>\n${source}\n</cell>` }]
  for (const output of outputs) parts.push(await readOutputPart(output))
  return parts
}

async function readOutputPart(output: NotebookOutput): Promise<CellPart> {
  if (output.kind !== 'image')
    return { text: `<output${output.kind === 'error' ? ' error' : ''}>\n${cutOutput(output.text)}\n</output>` }
  const bytes = Buffer.from(output.base64, 'base64')
  const type = detectImageType(bytes)
  if (type === undefined) return { text: '<output>[an image that cannot be shown]</output>' }
  try {
    const { mediaType, base64 } = await fitImage(bytes, type, 'An image in the outputs')
    return { image: { mediaType, base64 } }
  } catch (error) {
    // The rest of the notebook is still useful.
    return { text: `<output>[${error instanceof Error ? error.message : 'an image that cannot be shown'}]</output>` }
  }
}

function cutOutput(text: string): string {
  const trimmed = text.replace(/\n$/, '')
  if (trimmed.length <= MAX_OUTPUT_CHARS) return trimmed
  const half = MAX_OUTPUT_CHARS / 2
  const omittedChars = trimmed.length - MAX_OUTPUT_CHARS
  return `${trimmed.slice(0, half)}\n[… ${omittedChars} characters of output omitted; extract them with a command such as jq …]\n${trimmed.slice(-half)}`
}
