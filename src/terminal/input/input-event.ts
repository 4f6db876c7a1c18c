/** Input from the user: a key, a paste, or a change of the focus. */
export type InputEvent = KeyEvent | PasteEvent | FocusEvent

/** One key press. */
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

/** Pasted text, exactly as it was copied, with `\n` at the end of lines. */
interface PasteEvent {
  readonly type: 'paste'
  readonly text: string
}

/** The window of the terminal got or lost the focus. */
interface FocusEvent {
  readonly type: 'focus'
  readonly hasFocus: boolean
}

/** Returns the name of a key with its modifiers, such as `ctrl+left`. */
export function shortcutOf({ key, ctrl, alt, shift }: KeyEvent): string {
  return `${ctrl ? 'ctrl+' : ''}${alt ? 'alt+' : ''}${shift ? 'shift+' : ''}${key}`
}
