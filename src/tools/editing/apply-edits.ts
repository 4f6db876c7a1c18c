import { ToolCallError } from '../../contract/errors.js'
import type { EditStrategy } from '../../edits/edit-strategies.js'
import { explainEdit } from '../../edits/explain-edit.js'
import { type EditPlan, planEdit, type TextEdit } from '../../edits/plan-edit.js'
import {
  type ByteChange,
  changedBytes,
  type ReplacedBytes,
  replaceEvery,
  replaceOnly,
} from '../../edits/replace-bytes.js'
import { type DecodedText, encodeText, UnencodableTextError } from '../../edits/text/encoding.js'
import { type ChangedText, ChangeExtent } from '../../edits/text/text-change.js'
import { type FileContent, lengthOf, sliceOf, wholeOf } from '../../shared/file-content.js'
import { encoded } from './save-file.js'

/** Makes edits one after the other, each in what the one before left; if one has no place, none is made. */
export function applyEdits(file: string, original: DecodedText, edits: readonly TextEdit[]): AppliedEdits {
  return applyToBytes(original, edits) ?? applyToText(file, original, edits)
}

function applyToText(file: string, original: DecodedText, edits: readonly TextEdit[]): AppliedEdits {
  const run = new EditRun(original)
  for (const [index, edit] of edits.entries()) {
    const which = edits.length === 1 ? 'old_string' : `old_string of edit ${index + 1}`
    run.make(findPlaces(file, which, run.text, edit))
  }
  return run.end()
}

function findPlaces(file: string, which: string, text: string, edit: TextEdit) {
  const plan = planEdit(text, edit)
  if (plan.kind !== 'found') {
    const whenAmbiguous =
      'Send more of the lines around the one that is meant, or set replace_all to true if every place is.'
    throw new ToolCallError('tool_failed', explainEdit(text, edit, plan, { file, old: which, whenAmbiguous }))
  }
  if (plan.changes.every(({ start, end, text: next }) => text.slice(start, end) === next)) {
    throw new ToolCallError(
      'tool_failed',
      `${file} already reads as ${which.replace('old', 'new')} says; nothing was changed.`,
    )
  }
  return plan
}

interface AppliedEdits {
  readonly content: FileContent
  readonly changed: ChangedText
  readonly strategies: readonly EditStrategy[]
  /** How many places were changed. */
  readonly count: number
}

/** Edits to one text that follow each other. */
class EditRun {
  readonly #original: DecodedText
  readonly #extent = new ChangeExtent()
  readonly #strategies: EditStrategy[] = []
  #current: DecodedText
  #count = 0

  constructor(original: DecodedText) {
    this.#original = original
    this.#current = original
  }

  get text(): string {
    return this.#current.text
  }

  make({ strategy, changes }: Extract<EditPlan, { kind: 'found' }>): void {
    this.#extent.add(this.#current.text, changes)
    this.#current = encoded(this.#current, changes)
    this.#strategies.push(strategy)
    this.#count += changes.length
  }

  end(): AppliedEdits {
    const { bytes: content, text } = this.#current
    const changed = this.#extent.between(this.#original.text, text)
    return { content, changed, strategies: this.#strategies, count: this.#count }
  }
}

/** The edits made in the bytes themselves, if each is there as it was sent; undefined leaves them to the whole ladder. */
function applyToBytes(original: DecodedText, edits: readonly TextEdit[]): AppliedEdits | undefined {
  const { bytes, bomLength } = original
  // A text that has carriage returns takes more than a look at its bytes.
  if (original.encoding !== 'utf-8' || bytes.includes(0x0d)) return undefined
  const body = asBuffer(bytes.subarray(bomLength))
  const run = new ByteRun(body)
  for (const edit of edits) {
    const replaced = replaceVerbatim(run.bytes, edit)
    if (replaced === undefined) return undefined
    run.add(replaced)
  }
  return {
    content: [bytes.subarray(0, bomLength), ...run.pieces],
    changed: changedBytes(body, run.change(body)),
    strategies: edits.map(() => 'verbatim' as const),
    count: run.count,
  }
}

/** To look for a text as it is, its bytes do as well as its characters: none begins within another. */
function replaceVerbatim(bytes: Buffer, { oldString, newString, replaceAll }: TextEdit): ReplacedBytes | undefined {
  if (oldString === '' || oldString.includes('\r') || newString.includes('\r')) return undefined
  const searched = sentBytes(oldString)
  const replacement = sentBytes(newString)
  // What begins beyond ASCII may be an accent, cut from its letter.
  if (searched === undefined || replacement === undefined || (searched[0] ?? 0) > 0x7f) return undefined
  return replaceAll === true ? replaceEvery(bytes, searched, replacement) : replaceOnly(bytes, searched, replacement)
}

function sentBytes(text: string): Buffer | undefined {
  try {
    return asBuffer(encodeText(text, 'utf-8'))
  } catch (error) {
    if (error instanceof UnencodableTextError) return undefined
    throw error
  }
}

/** Edits that follow each other, each in what the one before left. */
class ByteRun {
  pieces: readonly Buffer[]
  count = 0
  #samePrefix = Number.POSITIVE_INFINITY
  #sameSuffix = Number.POSITIVE_INFINITY

  constructor(body: Buffer) {
    this.pieces = [body]
  }

  /** Put together only where an edit follows. */
  get bytes(): Buffer {
    return asBuffer(wholeOf(this.pieces))
  }

  add({ pieces, samePrefix, sameSuffix, count }: ReplacedBytes): void {
    this.pieces = pieces
    this.count += count
    this.#samePrefix = Math.min(this.#samePrefix, samePrefix)
    this.#sameSuffix = Math.min(this.#sameSuffix, sameSuffix)
  }

  /** What became of the body as a whole. */
  change(before: Buffer): ByteChange {
    const length = lengthOf(this.pieces)
    const shorter = Math.min(before.length, length)
    const samePrefix = Math.min(this.#samePrefix, shorter)
    const sameSuffix = Math.min(this.#sameSuffix, shorter - samePrefix)
    return { samePrefix, sameSuffix, middle: sliceOf(this.pieces, samePrefix, length - sameSuffix) }
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}
