import { ToolCallError } from '../../contract/errors.js'
import type { FilesPort } from '../../contract/ports/files.js'
import { parseNotebook } from '../../shared/notebook.js'
import { decodeText } from '../../shared/text-edit/decode-text.js'
import type { ReadAnswer } from './answer-read.js'
import { type CellPart, cellParts } from './cell-parts.js'
import { readBudget } from './read-budget.js'
import type { ResolvedRequest } from './read-request.js'
import { answerWhole, readWhole } from './read-whole-file.js'

/** Reads a notebook by cell; undefined where the file is none, and so is read as the text it is. */
export async function readNotebook(files: FilesPort, request: ResolvedRequest): Promise<ReadAnswer | undefined> {
  const { path, limit } = request
  const file = await readWhole(files, request)
  const notebook = parseNotebook(decodeText(file.content).text)
  if (notebook === undefined) return undefined
  const cellCount = notebook.cells.length
  const firstCell = Math.max(1, request.offset ?? 1)
  if (firstCell > Math.max(1, cellCount))
    throw new ToolCallError('tool_failed', `${path} has ${cellCount} cells; there is no cell ${firstCell}.`)
  const chosen = notebook.cells.slice(firstCell - 1, limit === undefined ? undefined : firstCell - 1 + limit)
  const parts = await Promise.all(chosen.map((cell) => cellParts(cell, notebook.language)))
  refuseTooMuch(parts, readBudget(files), path, firstCell)
  const part = `cells ${firstCell} to ${firstCell + chosen.length - 1}`
  const shown = { firstCell, shownCells: chosen.length, parts: parts.flat() }
  return answerWhole(files, request, file, part, { type: 'notebook', path, cellCount, ...shown })
}

function refuseTooMuch(
  cells: readonly (readonly CellPart[])[],
  budget: { readonly bytes: number; readonly words: string },
  path: string,
  firstCell: number,
): void {
  let used = 0
  for (const [at, parts] of cells.entries()) {
    for (const part of parts) used += 'text' in part ? Buffer.byteLength(part.text) : 0
    if (used <= budget.bytes) continue
    const advice =
      at === 0
        ? 'Take the part you need with a command such as jq.'
        : `Read cells ${firstCell} to ${firstCell + at - 1} with offset ${firstCell} and limit ${at}.`
    throw new ToolCallError('tool_failed', `${path} is more than the ${budget.words} that one read may give. ${advice}`)
  }
}
