/* biome-ignore-all lint/suspicious/noControlCharactersInRegex: terminals send control characters */
import { splitGraphemes } from '../../shared/graphemes.js'
import { createTextKey, decodeControlCharacter, decodeCsi, decodeSs3 } from './decode-key.js'
import type { InputEvent } from './input-event.js'

/** A reply of the terminal to a query, as it was sent. */
export interface TerminalReply {
  readonly type: 'reply'
  readonly sequence: string
}

/** What the parser has received but not yet emitted, because more input may follow. */
export type PendingInput = 'nothing' | 'escape' | 'sequence' | 'after paste'

const PASTE_START = '\u001b[200~'
const PASTE_END = '\u001b[201~'
const CSI = /^\u001b\[([0-?]*)([ -/]*)([@-~])/
const UNFINISHED_CSI = /^\u001b\[[0-?]*[ -/]*$/
/** OSC, DCS, APC, PM and SOS. Terminals send them only in replies. */
const STRING = /^\u001b[\]P_^X][^\u0007\u001b]*(?:\u0007|\u001b\\)/
const UNFINISHED_STRING = /^\u001b[\]P_^X][^\u0007\u001b]*\u001b?$/
/** An Alt key can look like the start of a string. A reply is never this long. */
const MAX_STRING_LENGTH = 4_096
const POSITION = /\u001b\[\d+;\d+R/
const TEXT = /^[^\u0000-\u001f\u007f]+/

/**
 * Turns what a terminal sends into events. Sequences may be split anywhere. The owner calls `flush` when no more input has
 * arrived for some time, see `pending`.
 */
export class InputParser {
  /** Whether the terminal is asked for the position of the cursor. Some terminals reply in the middle of a paste. */
  awaitsPosition = false
  readonly #emit: (event: InputEvent | TerminalReply) => void
  #buffer = ''
  /** The chunks of a paste whose end has not arrived. */
  #paste: string[] | undefined
  /**
   * Whether a paste has just ended. If another marker follows at once, the pasted text itself contained the first end,
   * and the text between them was pasted, not typed.
   */
  #isAfterPaste = false

  constructor(emit: (event: InputEvent | TerminalReply) => void) {
    this.#emit = emit
  }

  get pending(): PendingInput {
    if (this.#isAfterPaste) return 'after paste'
    if (this.#buffer === '') return 'nothing'
    return this.#buffer === '\u001b' ? 'escape' : 'sequence'
  }

  push(text: string): void {
    if (text === '') return
    if (this.#paste === undefined) this.#buffer += text
    else this.#continuePaste(text)
    this.#parse()
  }

  /** Call this when nothing follows the characters that were held back. */
  flush(): void {
    this.#isAfterPaste = false
    this.#parse()
    const pendingText = this.#buffer
    this.#buffer = ''
    if (pendingText === '') return
    if (pendingText === '\u001b') this.#emit(decodeControlCharacter(27))
    else if (pendingText === '\u001b\u001b') this.#emit({ ...decodeControlCharacter(27), alt: true })
    // `ESC [` alone is Alt+[. Longer unfinished sequences are damaged and mean no key.
    else if (pendingText.length === 2) this.#emit({ ...createTextKey(pendingText.slice(1)), alt: true })
  }

  #parse(): void {
    while (this.#buffer !== '' && (this.#isAfterPaste ? this.#parseAfterPaste() : this.#parseNext(this.#buffer)));
  }

  /** Returns whether there may be more to parse. */
  #parseAfterPaste(): boolean {
    const end = this.#buffer.indexOf(PASTE_END)
    const start = this.#buffer.indexOf(PASTE_START)
    if (end === -1 && start === -1) return false
    const isStart = start !== -1 && (end === -1 || start < end)
    const pastedText = this.#buffer.slice(0, isStart ? start : end)
    if (pastedText !== '') this.#emitPaste(pastedText)
    this.#buffer = this.#buffer.slice(pastedText.length + PASTE_END.length)
    if (isStart) this.#startPaste()
    return true
  }

  /** Emits the first event of the text. Returns false if more must arrive. */
  #parseNext(text: string): boolean {
    const run = TEXT.exec(text)
    if (run !== null) {
      for (const grapheme of splitGraphemes(run[0])) this.#emit(createTextKey(grapheme))
      return this.#consume(run[0].length)
    }
    if (text.startsWith('\u001b')) return this.#parseEscape(text)
    this.#emit(decodeControlCharacter(text.charCodeAt(0)))
    return this.#consume(1)
  }

  #consume(length: number): boolean {
    this.#buffer = this.#buffer.slice(length)
    return true
  }

  #parseEscape(text: string): boolean {
    if (text.startsWith(PASTE_START)) {
      this.#consume(PASTE_START.length)
      this.#startPaste()
      return true
    }
    if (text.length === 1 || UNFINISHED_CSI.test(text)) return false
    const csi = CSI.exec(text)
    if (csi !== null) {
      const [sequence, parameters = '', intermediates = '', finalByte = ''] = csi
      this.#emitCsi(sequence, parameters, intermediates, finalByte)
      return this.#consume(sequence.length)
    }
    const string = STRING.exec(text)
    if (string !== null) {
      this.#emit({ type: 'reply', sequence: string[0] })
      return this.#consume(string[0].length)
    }
    if (UNFINISHED_STRING.test(text) && text.length < MAX_STRING_LENGTH) return false
    if (text.startsWith('\u001bO')) return this.#parseSs3(text)
    return this.#parseAlt(text)
  }

  #emitCsi(sequence: string, parameters: string, intermediates: string, finalByte: string): void {
    if (parameters === '' && (finalByte === 'I' || finalByte === 'O'))
      this.#emit({ type: 'focus', hasFocus: finalByte === 'I' })
    else if (sequence === PASTE_END) return
    else if (isReply(parameters, intermediates, finalByte)) this.#emit({ type: 'reply', sequence })
    else {
      const key = decodeCsi(parameters, finalByte)
      if (key !== undefined) this.#emit(key)
    }
  }

  #parseSs3(text: string): boolean {
    if (text.length === 2) return false
    const key = decodeSs3(text.charAt(2))
    if (key === undefined) return this.#parseAlt(text)
    this.#emit(key)
    return this.#consume(3)
  }

  /** Parses a key with Alt. Without a keyboard protocol, terminals send ESC before the key. */
  #parseAlt(text: string): boolean {
    const nextCharacter = String.fromCodePoint(text.codePointAt(1) ?? 0)
    if (nextCharacter === '\u001b') {
      // Alt with a key that itself sends a sequence. Otherwise Escape was pressed twice.
      const csi = CSI.exec(text.slice(1))
      const key = csi === null ? undefined : decodeCsi(csi[1] ?? '', csi[3] ?? '')
      if (csi !== null && key !== undefined) {
        this.#emit({ ...key, alt: true })
        return this.#consume(1 + csi[0].length)
      }
      if (csi === null && (text.length === 2 || UNFINISHED_CSI.test(text.slice(1)))) return false
      this.#emit(decodeControlCharacter(27))
      return this.#consume(1)
    }
    const code = nextCharacter.charCodeAt(0)
    const key = code < 32 || code === 127 ? decodeControlCharacter(code) : createTextKey(nextCharacter)
    const { text: _, ...keyWithoutText } = key
    this.#emit({ ...keyWithoutText, alt: true })
    return this.#consume(1 + nextCharacter.length)
  }

  #startPaste(): void {
    const text = this.#buffer
    this.#buffer = ''
    this.#paste = []
    this.#isAfterPaste = false
    this.#continuePaste(text)
  }

  #continuePaste(text: string): void {
    const chunks = this.#paste ?? []
    // The end marker may be split, so the search starts before the new text.
    const lastChunk = chunks.pop() ?? ''
    const overlap = lastChunk.slice(-(PASTE_END.length - 1))
    const searchedText = overlap + text
    const end = searchedText.indexOf(PASTE_END)
    const textBefore = lastChunk.slice(0, lastChunk.length - overlap.length)
    if (end === -1) {
      if (textBefore !== '') chunks.push(textBefore)
      chunks.push(searchedText)
      this.#paste = chunks
      return
    }
    this.#paste = undefined
    this.#isAfterPaste = true
    this.#buffer = searchedText.slice(end + PASTE_END.length)
    this.#emitPaste([...chunks, textBefore, searchedText.slice(0, end)].join(''))
  }

  /** Emits a paste. Its line breaks arrive as the Enter key. */
  #emitPaste(pastedText: string): void {
    const reply = this.awaitsPosition ? POSITION.exec(pastedText) : null
    const text = reply === null ? pastedText : pastedText.replace(reply[0], '')
    if (reply !== null) this.#emit({ type: 'reply', sequence: reply[0] })
    this.#emit({ type: 'paste', text: text.replace(/\r\n?/g, '\n') })
  }
}

/** Whether a sequence is a reply: attributes (c), modes ($y), keyboard protocol (?u), position (R), status (n), window (t). */
function isReply(parameters: string, intermediates: string, finalByte: string): boolean {
  if (intermediates !== '' || /^[<=>?]/.test(parameters)) return true
  if ('cnt'.includes(finalByte)) return true
  // `CSI 1;2R` is also F3 with a modifier, so positions in the first row count only beyond column 16.
  return finalByte === 'R' && parameters.includes(';') && !/^1;(?:[2-9]|1[0-6])$/.test(parameters)
}
