import { ToolCallError } from '../../contract/errors.js'
import type { EditStrategy } from '../../edits/edit-strategies.js'
import { explainEdit } from '../../edits/explain-edit.js'
import { type EditPlan, planEdit, type TextEdit } from '../../edits/plan-edit.js'
import {
  type ByteChange,
  describeByteChange,
  type ReplacedBytes,
  replaceEvery,
  replaceOnly,
} from '../../edits/replace-bytes.js'
import { type DecodedText, encodeText, UnencodableTextError } from '../../edits/text/encoding.js'
import { type ChangedText, ChangeExtent } from '../../edits/text/text-change.js'
import { countBytes, type FileContent, joinContent, sliceContent } from '../../shared/file-content.js'
import type { Steps } from '../../shared/steps.js'
import { changeTextOrExplain } from './save-file.js'

/** Applies edits in order, each to the result of the previous one. Throws if one has no unique match. */
export function* applyEdits(file: string, originalText: DecodedText, edits: readonly TextEdit[]): Steps<AppliedEdits> {
  return (yield* applyToBytes(originalText, edits)) ?? (yield* applyToText(file, originalText, edits))
}

function* applyToText(file: string, originalText: DecodedText, edits: readonly TextEdit[]): Steps<AppliedEdits> {
  const run = new EditRun(originalText)
  for (const [index, edit] of edits.entries()) {
    const oldName = edits.length === 1 ? 'old_string' : `old_string of edit ${index + 1}`
    run.apply(yield* planOrExplain(file, oldName, run.text, edit))
    yield
  }
  return run.finish()
}

function* planOrExplain(file: string, oldName: string, text: string, edit: TextEdit): Steps<FoundEdit> {
  const plan = yield* planEdit(text, edit)
  if (plan.kind !== 'found') {
    const whenAmbiguous =
      'Include more surrounding lines to make it unique, or set replace_all to true to change every match.'
    throw new ToolCallError('tool_failed', yield* explainEdit(text, edit, plan, { file, old: oldName, whenAmbiguous }))
  }
  if (plan.changes.every(({ start, end, text: newText }) => text.slice(start, end) === newText)) {
    throw new ToolCallError(
      'tool_failed',
      `${file} already contains ${oldName.replace('old', 'new')} where old_string matches. Nothing was changed.`,
    )
  }
  return plan
}

type FoundEdit = Extract<EditPlan, { kind: 'found' }>

interface AppliedEdits {
  readonly content: FileContent
  readonly changed: ChangedText
  readonly strategies: readonly EditStrategy[]
  /** The number of replacements. */
  readonly count: number
}

/** Applies successive edits to decoded text. */
class EditRun {
  readonly #original: DecodedText
  readonly #extent = new ChangeExtent()
  readonly #strategies: EditStrategy[] = []
  #current: DecodedText
  #count = 0

  constructor(originalText: DecodedText) {
    this.#original = originalText
    this.#current = originalText
  }

  get text(): string {
    return this.#current.text
  }

  apply({ strategy, changes }: FoundEdit): void {
    this.#extent.add(this.#current.text, changes)
    this.#current = changeTextOrExplain(this.#current, changes)
    this.#strategies.push(strategy)
    this.#count += changes.length
  }

  finish(): AppliedEdits {
    const { bytes: content, text } = this.#current
    const changed = this.#extent.compareTexts(this.#original.text, text)
    return { content, changed, strategies: this.#strategies, count: this.#count }
  }
}

/**
 * Applies edits directly to UTF-8 bytes. Returns undefined if the text must be decoded, for example because only a looser
 * strategy can find a match.
 */
function* applyToBytes(originalText: DecodedText, edits: readonly TextEdit[]): Steps<AppliedEdits | undefined> {
  const { bytes, bomLength } = originalText
  // Edits ignore differences in line endings, so text with carriage returns has to be decoded.
  if (originalText.encoding !== 'utf-8' || bytes.includes(0x0d)) return undefined
  const body = asBuffer(bytes.subarray(bomLength))
  const run = new ByteRun(body)
  for (const edit of edits) {
    const replacedBytes = yield* replaceVerbatim(run.bytes, edit)
    if (replacedBytes === undefined) return undefined
    run.add(replacedBytes)
    yield
  }
  return {
    content: [bytes.subarray(0, bomLength), ...run.pieces],
    changed: describeByteChange(body, run.change(body)),
    strategies: edits.map(() => 'verbatim' as const),
    count: run.count,
  }
}

/** Replaces exact matches. Bytes can be compared, because in UTF-8 no character starts inside another. */
function* replaceVerbatim(
  bytes: Buffer,
  { oldString, newString, replaceAll }: TextEdit,
): Steps<ReplacedBytes | undefined> {
  if (oldString === '' || oldString.includes('\r') || newString.includes('\r')) return undefined
  const searchBytes = encodeIfPossible(oldString)
  const replacement = encodeIfPossible(newString)
  // A non-ASCII first character may be a combining accent that belongs to the previous letter.
  if (searchBytes === undefined || replacement === undefined || (searchBytes[0] ?? 0) > 0x7f) return undefined
  return replaceAll === true
    ? yield* replaceEvery(bytes, searchBytes, replacement)
    : yield* replaceOnly(bytes, searchBytes, replacement)
}

function encodeIfPossible(text: string): Buffer | undefined {
  try {
    return asBuffer(encodeText(text, 'utf-8'))
  } catch (error) {
    if (error instanceof UnencodableTextError) return undefined
    throw error
  }
}

/** Applies successive replacements to UTF-8 bytes. */
class ByteRun {
  pieces: readonly Buffer[]
  count = 0
  #samePrefix = Number.POSITIVE_INFINITY
  #sameSuffix = Number.POSITIVE_INFINITY

  constructor(body: Buffer) {
    this.pieces = [body]
  }

  /** The current bytes. Reading it joins all parts, so it is read only if another edit follows. */
  get bytes(): Buffer {
    return asBuffer(joinContent(this.pieces))
  }

  add({ pieces, samePrefixLength, sameSuffixLength, count }: ReplacedBytes): void {
    this.pieces = pieces
    this.count += count
    this.#samePrefix = Math.min(this.#samePrefix, samePrefixLength)
    this.#sameSuffix = Math.min(this.#sameSuffix, sameSuffixLength)
  }

  /** Returns the change between the original body and the result. */
  change(bytesBefore: Buffer): ByteChange {
    const length = countBytes(this.pieces)
    const shorterLength = Math.min(bytesBefore.length, length)
    const samePrefixLength = Math.min(this.#samePrefix, shorterLength)
    const sameSuffixLength = Math.min(this.#sameSuffix, shorterLength - samePrefixLength)
    return {
      samePrefixLength,
      sameSuffixLength,
      middleBytes: sliceContent(this.pieces, samePrefixLength, length - sameSuffixLength),
    }
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}
