/** What a person did at the terminal. */
export type InputEvent = KeyEvent | PasteEvent | FocusEvent

/** One key. */
export interface KeyEvent {
  readonly type: 'key'
  /**
   * The name of the key: a character without modifiers (`a`, `/`), or `enter`, `escape`, `tab`, `backspace`, `delete`,
   * `insert`, `up`, `down`, `left`, `right`, `home`, `end`, `pageup`, `pagedown`, `space`, `f1` to `f12`.
   */
  readonly key: string
  /** The text that the key types, if it types any. */
  readonly text?: string
  readonly ctrl: boolean
  readonly alt: boolean
  readonly shift: boolean
}

/** Text pasted at once, exactly as it was copied, with `\n` at the end of lines. */
interface PasteEvent {
  readonly type: 'paste'
  readonly text: string
}

/** The window of the terminal got or lost the focus. */
interface FocusEvent {
  readonly type: 'focus'
  readonly hasFocus: boolean
}
