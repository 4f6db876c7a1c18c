import { ToolCallError } from '../../contract/errors.js'
import { explainEdit } from '../../shared/text-edit/explain-edit.js'
import type { PatchChunk } from '../../shared/text-edit/patch/patch-section.js'
import type { ChunkProblem } from '../../shared/text-edit/patch/plan-chunks.js'

const WHEN_AMBIGUOUS =
  'Give more of the lines around the one that is meant, or name the head of its block with "@@ LINE" above them.'

/** Why a chunk has no place, with all that is needed to send it again rightly. */
export function chunkProblem(
  path: string,
  text: string,
  chunks: readonly PatchChunk[],
  { chunk: number, problem }: { readonly chunk: number; readonly problem: ChunkProblem },
): ToolCallError {
  const chunk = chunks[number - 1]
  const { anchors = [], oldLines = [], newLines = [] } = chunk ?? {}
  if (problem.kind === 'missing' || problem.kind === 'ambiguous') {
    const edit = { oldString: oldLines.join('\n'), newString: newLines.join('\n') }
    const within = anchors.length === 0 ? '' : ` below ${anchors.map((anchor) => JSON.stringify(anchor)).join(', ')}`
    const words = { file: path, old: `Chunk ${number} of the patch${within}`, whenAmbiguous: WHEN_AMBIGUOUS }
    return new ToolCallError('tool_failed', explainEdit(text, edit, problem, words))
  }
  return new ToolCallError('tool_failed', `${path}, chunk ${number}: ${SENTENCES[problem.kind]} Nothing was changed.`)
}

const SENTENCES = {
  'anchor missing': 'the line that "@@" names is not in the file, or not within the one named before it.',
  'no context':
    'lines that are only added need a place: give lines around them, "@@ LINE" above or "*** End of File" below.',
  overlap: 'it changes lines that an earlier chunk changes as well. Put both into one.',
} as const
