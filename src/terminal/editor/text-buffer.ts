import { segmentGraphemes } from '../../shared/graphemes.js'

/** The text and the caret, which is always between two graphemes. */
interface Snapshot {
  readonly text: string
  readonly caret: number
}

/** Consecutive edits of the same kind are undone together; those of the kind `other` are undone one by one. */
type EditKind = 'type' | 'delete' | 'other'

const MAX_UNDO_STEPS = 500
const MAX_KILLS = 20
/** Graphemes are detected within this many characters of the caret. Longer graphemes are split. */
const GRAPHEME_WINDOW = 128
const WORD_CHARACTER = /[\p{L}\p{N}\p{M}_]/u

/** An editable text with motions, kills and undo. It depends on neither keys nor the screen. */
export class TextBuffer {
  #text = ''
  #caret = 0
  #undo: Snapshot[] = []
  #redo: Snapshot[] = []
  #lastEdit: EditKind = 'other'
  #kills: string[] = []
  /** Whether the last edit was a kill. Consecutive kills become one. */
  #isKilling = false
  /** The range of the last yank, which `yankOlder` replaces. */
  #lastYank: { readonly start: number; readonly end: number; readonly index: number } | undefined

  get text(): string {
    return this.#text
  }

  get caret(): number {
    return this.#caret
  }

  /** Moves the caret. This ends a group of edits or kills. */
  moveTo(position: number): void {
    this.#caret = Math.max(0, Math.min(position, this.#text.length))
    this.#lastEdit = 'other'
    this.#isKilling = false
    this.#lastYank = undefined
  }

  insert(text: string): void {
    this.replace(this.#caret, this.#caret, text, text.length === 1 && /\S/.test(text) ? 'type' : 'other')
  }

  /** Replaces a range and moves the caret after the new text. */
  replace(start: number, end: number, text: string, kind: EditKind = 'other'): void {
    if (start === end && text === '') return
    if (kind === 'other' || kind !== this.#lastEdit) {
      this.#undo.push({ text: this.#text, caret: this.#caret })
      if (this.#undo.length > MAX_UNDO_STEPS) this.#undo.shift()
    }
    this.#redo = []
    this.#lastEdit = kind
    this.#isKilling = false
    this.#lastYank = undefined
    this.#text = this.#text.slice(0, start) + text + this.#text.slice(end)
    this.#caret = start + text.length
  }

  delete(start: number, end: number): void {
    this.replace(Math.min(start, end), Math.max(start, end), '', 'delete')
  }

  /** Deletes a range and keeps it for `yank`. */
  kill(start: number, end: number): void {
    if (start === end) return
    const [from, to] = start < end ? [start, end] : [end, start]
    const killedText = this.#text.slice(from, to)
    const isBackwards = to === this.#caret && from !== to
    if (this.#isKilling) this.#kills[0] = isBackwards ? killedText + this.#kills[0] : this.#kills[0] + killedText
    else this.addKill(killedText)
    this.replace(from, to, '')
    this.#isKilling = true
  }

  /** Adds a text to the kill ring, from which `yank` takes it. */
  addKill(text: string): void {
    this.#kills = [text, ...this.#kills].slice(0, MAX_KILLS)
  }

  /** The text that `yank` would insert. */
  get lastKill(): string {
    return this.#kills[0] ?? ''
  }

  yank(): void {
    const start = this.#caret
    if (this.lastKill === '') return
    this.insert(this.lastKill)
    this.#lastYank = { start, end: this.#caret, index: 0 }
  }

  /** Replaces the text that was just yanked with the next older kill. */
  yankOlder(): boolean {
    const lastYank = this.#lastYank
    if (lastYank === undefined) return false
    const index = (lastYank.index + 1) % this.#kills.length
    this.replace(lastYank.start, lastYank.end, this.#kills[index] ?? '')
    this.#lastYank = { start: lastYank.start, end: this.#caret, index }
    return true
  }

  undo(): void {
    this.#restore(this.#undo, this.#redo)
  }

  redo(): void {
    this.#restore(this.#redo, this.#undo)
  }

  /** Clears the text and the undo history, but not the kill ring. */
  clear(): void {
    this.#text = ''
    this.#undo = []
    this.#redo = []
    this.moveTo(0)
  }

  findPreviousGrapheme(position = this.#caret): number {
    const window = this.#text.slice(Math.max(0, position - GRAPHEME_WINDOW), position)
    if (/(?:^|[ -~])[ -~]$/.test(window)) return position - 1
    const lastGrapheme = Array.from(segmentGraphemes(window)).at(-1)
    return position - (lastGrapheme?.segment.length ?? 0)
  }

  findNextGrapheme(position = this.#caret): number {
    const window = this.#text.slice(position, position + GRAPHEME_WINDOW)
    if (/^[ -~](?:$|[ -~])/.test(window)) return position + 1
    const [firstGrapheme] = segmentGraphemes(window)
    return position + (firstGrapheme?.segment.length ?? 0)
  }

  /** Returns the start of the word before the position. */
  findPreviousWord(position = this.#caret): number {
    const start = this.#skipBack(position, (character) => !WORD_CHARACTER.test(character))
    return this.#skipBack(start, (character) => WORD_CHARACTER.test(character))
  }

  /** Returns the end of the word after the position. */
  findNextWord(position = this.#caret): number {
    const start = this.#skip(position, (character) => !WORD_CHARACTER.test(character))
    return this.#skip(start, (character) => WORD_CHARACTER.test(character))
  }

  /** Returns the start of the word before the position, where only white space separates words. */
  findPreviousBigWord(position = this.#caret): number {
    const start = this.#skipBack(position, (character) => /\s/.test(character))
    return this.#skipBack(start, (character) => /\S/.test(character))
  }

  findLineStart(position = this.#caret): number {
    return position === 0 ? 0 : this.#text.lastIndexOf('\n', position - 1) + 1
  }

  findLineEnd(position = this.#caret): number {
    const end = this.#text.indexOf('\n', position)
    return end === -1 ? this.#text.length : end
  }

  #restore(from: Snapshot[], to: Snapshot[]): void {
    const snapshot = from.pop()
    if (snapshot === undefined) return
    to.push({ text: this.#text, caret: this.#caret })
    this.#text = snapshot.text
    this.moveTo(snapshot.caret)
  }

  #skip(position: number, isSkipped: (character: string) => boolean): number {
    let end = position
    while (end < this.#text.length) {
      const character = String.fromCodePoint(this.#text.codePointAt(end) ?? 0)
      if (!isSkipped(character)) break
      end += character.length
    }
    return end
  }

  #skipBack(position: number, isSkipped: (character: string) => boolean): number {
    let start = position
    while (start > 0) {
      const isPair = /[\udc00-\udfff]/.test(this.#text.charAt(start - 1)) && start > 1
      const character = this.#text.slice(start - (isPair ? 2 : 1), start)
      if (!isSkipped(character)) break
      start -= character.length
    }
    return start
  }
}
