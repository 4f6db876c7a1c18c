import { formatCounted } from '../../shared/counted.js'

/** An image that is sent with the text. The text contains its label, for example `[Image #1]`. */
export interface Attachment {
  readonly label: string
  readonly path: string
}

interface Placeholder {
  readonly label: string
  /** The text that is submitted instead of the label. */
  readonly text: string
  readonly attachment?: Attachment
}

/** Larger pastes are shown as a label, so that the prompt stays readable and fast. */
const MAX_SHOWN_LENGTH = 2_000
const MAX_SHOWN_LINES = 12
const IMAGE_PATH = /\.(?:png|jpe?g|gif|webp|bmp|tiff?|heic|svg)$/i
/**
 * The first private-use character for placeholders. Pasted text that contains such characters is handled like a large
 * paste.
 */
const FIRST_CODE = 0x100000
const PRIVATE_CHARACTER = /[\u{100000}-\u{10ffff}]/u
const PRIVATE_CHARACTERS = /[\u{100000}-\u{10ffff}]/gu

/**
 * Large pastes and images. In the buffer each is one private-use character, so the caret cannot enter it. It is
 * displayed as a label, and the exact text is submitted.
 */
export class Placeholders {
  readonly #byCharacter = new Map<string, Placeholder>()
  #pasteCount = 0
  #imageCount = 0

  readonly findLabel = (character: string): string | undefined => this.#byCharacter.get(character)?.label

  /** Returns the text to insert for a paste. */
  createForPaste(text: string): string {
    const lineCount = countLines(text)
    if (text.length <= MAX_SHOWN_LENGTH && lineCount <= MAX_SHOWN_LINES && !PRIVATE_CHARACTER.test(text)) return text
    this.#pasteCount++
    const size = `${formatCounted(text.length, 'character')}${lineCount > 1 ? `, ${formatCounted(lineCount, 'line')}` : ''}`
    return this.#add({ label: `[Pasted text #${this.#pasteCount}: ${size}]`, text })
  }

  /** Returns the text to insert if the paste is the path of an image: terminals paste the path of a dropped file. */
  createForImage(pastedText: string, isImage: (path: string) => boolean): string | undefined {
    const path = readPath(pastedText)
    if (path === undefined || !IMAGE_PATH.test(path) || !isImage(path)) return undefined
    this.#imageCount++
    const label = `[Image #${this.#imageCount}]`
    return this.#add({ label, text: label, attachment: { label, path } })
  }

  /** Turns labels of known images into placeholders again, for example when a queued prompt is edited. */
  restoreImages(text: string): string {
    return [...this.#byCharacter].reduce(
      (restoredText, [character, { label, attachment }]) =>
        attachment === undefined ? restoredText : restoredText.replaceAll(label, character),
      text,
    )
  }

  /** Replaces the placeholders in a text with the texts that are submitted. */
  expand(text: string): string {
    return text.replace(PRIVATE_CHARACTERS, (character) => this.#byCharacter.get(character)?.text ?? character)
  }

  findAttachments(text: string): Attachment[] {
    return (text.match(PRIVATE_CHARACTERS) ?? []).flatMap((character) => {
      const attachment = this.#byCharacter.get(character)?.attachment
      return attachment === undefined ? [] : [attachment]
    })
  }

  #add(placeholder: Placeholder): string {
    const character = String.fromCodePoint(FIRST_CODE + this.#byCharacter.size)
    this.#byCharacter.set(character, placeholder)
    return character
  }
}

function countLines(text: string): number {
  let count = 1
  for (let index = text.indexOf('\n'); index !== -1; index = text.indexOf('\n', index + 1)) count++
  return text.endsWith('\n') ? count - 1 : count
}

/** Reads a path that may be quoted, escaped for a shell, or a `file:` URL. */
function readPath(pastedText: string): string | undefined {
  const text = pastedText.trim()
  if (text === '' || text.includes('\n') || text.length > 4_096) return undefined
  if (text.startsWith('file://')) return URL.canParse(text) ? decodePath(new URL(text).pathname) : undefined
  const quotedPath = /^(['"])(.*)\1$/.exec(text)?.[2]
  return quotedPath ?? text.replace(/\\(.)/g, '$1')
}

function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    // The URL is not valid, so the text is not the path of a dropped file.
    return undefined
  }
}
