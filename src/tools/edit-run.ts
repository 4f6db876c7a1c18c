import type { FileContent } from '../shared/file-content.js'
import { ChangeExtent } from '../shared/text-edit/change-extent.js'
import type { DecodedText } from '../shared/text-edit/decode-text.js'
import type { EditStrategy } from '../shared/text-edit/edit-strategies.js'
import type { EditPlan } from '../shared/text-edit/plan-edit.js'
import type { ChangedText } from '../shared/text-edit/unified-patch.js'
import { encoded } from './encoded.js'

export interface AppliedEdits {
  readonly content: FileContent
  readonly changed: ChangedText
  readonly strategies: readonly EditStrategy[]
  /** How many places were changed. */
  readonly count: number
}

/** Edits to one text that follow each other. */
export class EditRun {
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
