import { ToolCallError } from '../../contract/errors.js'
import type { FilesPort } from '../../contract/ports/files.js'
import { decodeText } from '../../edits/text/encoding.js'
import { runStepsInSlices } from '../../shared/steps.js'
import { detectImageType } from '../documents/file-kind.js'
import { fitImage } from '../documents/fit-image.js'
import { type NotebookCell, type NotebookOutput, parseNotebook } from './notebook.js'
import { getReadBudget, type ReadAnswer, type ResolvedRequest } from './read-request.js'
import { readWholeFile, respondWithFile } from './read-whole-file.js'
import type { ReadOutput } from './schema.js'

/** Reads a notebook cell by cell. Returns undefined if the file is not a notebook and must be read as text. */
export async function readNotebook(files: FilesPort, request: ResolvedRequest): Promise<ReadAnswer | undefined> {
  const { path, limit, signal } = request
  const file = await readWholeFile(files, request)
  const notebook = await runStepsInSlices(parseNotebook(decodeText(file.content).text), signal)
  if (notebook === undefined) return undefined
  const { cellCount } = notebook
  const firstCell = Math.max(1, request.offset ?? 1)
  if (firstCell > Math.max(1, cellCount))
    throw new ToolCallError(
      'tool_failed',
      `${path} has ${cellCount} cells; there is no cell ${firstCell}. Choose a smaller offset.`,
    )
  const parts: (readonly CellPart[])[] = []
  const budget = new CellBudget(getReadBudget(files), path, firstCell)
  for (const cell of notebook.cells(firstCell - 1, limit === undefined ? undefined : firstCell - 1 + limit)) {
    parts.push(await readCellParts(cell, notebook.language))
    budget.add(parts.at(-1) ?? [])
  }
  const cellRangeText = `cells ${firstCell} to ${firstCell + parts.length - 1}`
  const shownRange = { firstCell, shownCells: parts.length, parts: parts.flat() }
  return respondWithFile(files, request, file, cellRangeText, { type: 'notebook', path, cellCount, ...shownRange })
}

/** Counts the text of cells. Throws at the first cell that exceeds the budget, so that later ones need not be read. */
class CellBudget {
  readonly #budget: { readonly bytes: number; readonly description: string }
  readonly #path: string
  readonly #firstCell: number
  #usedBytes = 0
  #count = 0

  constructor(budget: { readonly bytes: number; readonly description: string }, path: string, firstCell: number) {
    this.#budget = budget
    this.#path = path
    this.#firstCell = firstCell
  }

  add(parts: readonly CellPart[]): void {
    for (const part of parts) this.#usedBytes += 'text' in part ? Buffer.byteLength(part.text) : 0
    if (this.#usedBytes > this.#budget.bytes) throw this.#createError()
    this.#count++
  }

  #createError(): ToolCallError {
    const firstCell = this.#firstCell
    const advice =
      this.#count === 0
        ? 'Extract the part you need with a command such as jq.'
        : `Read cells ${firstCell} to ${firstCell + this.#count - 1} with offset ${firstCell} and limit ${this.#count}.`
    return new ToolCallError(
      'tool_failed',
      `${this.#path} exceeds the limit of ${this.#budget.description} for one read. ${advice}`,
    )
  }
}

type CellPart = Extract<ReadOutput, { type: 'notebook' }>['parts'][number]

const MAX_OUTPUT_CHARS = 10_000

/** Returns a cell for the model: its source, then its outputs. */
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
    // An image that cannot be shown must not hide the other cells of the notebook.
    return { text: `<output>[${error instanceof Error ? error.message : 'an image that cannot be shown'}]</output>` }
  }
}

function cutOutput(text: string): string {
  const trimmedText = text.replace(/\n$/, '')
  if (trimmedText.length <= MAX_OUTPUT_CHARS) return trimmedText
  const half = MAX_OUTPUT_CHARS / 2
  const omittedChars = trimmedText.length - MAX_OUTPUT_CHARS
  return `${trimmedText.slice(0, half)}\n[… ${omittedChars} characters of output omitted; extract them with a command such as jq …]\n${trimmedText.slice(-half)}`
}
