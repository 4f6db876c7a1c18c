import { toPrintable } from '../shared/printable.js'
import type { SpanStyle, StyledLine } from './styled-line.js'
import type { Theme } from './themes.js'

const ESC = '\u001b'

/**
 * Encodes a line for a terminal, without a line break. This is the last step before the terminal, so control characters
 * in the text are escaped, wherever the line comes from.
 */
export function toAnsi(line: StyledLine, theme: Theme): string {
  let output = ''
  let parameters = ''
  let link = ''
  for (const { text, style } of line) {
    if (text === '') continue
    const nextLink = theme.hasHyperlinks ? toSafeLink(style?.href) : ''
    const nextParameters = theme.isPlain ? '' : parametersAfter(parameters, text, parametersOf(style, theme))
    output += changeLink(link, nextLink) + changeStyle(parameters, nextParameters) + toPrintable(text)
    link = nextLink
    parameters = nextParameters
  }
  return output + changeStyle(parameters, '') + changeLink(link, '')
}

function changeLink(from: string, to: string): string {
  return from === to ? '' : `${ESC}]8;;${to}${ESC}\\`
}

const ONLY_COLOUR = /^(?:38;5;\d+|[39]\d)$/
const HAS_COLOUR = /(?:^|;)(?:38;5;\d+|[39]\d)(?:;|$)/

/** Returns the sequence that changes the style. A leading 0 clears the old style, unless it was a colour that is replaced. */
function changeStyle(from: string, to: string): string {
  if (from === to) return ''
  const isReplaced = to === '' || from === '' || (ONLY_COLOUR.test(from) && HAS_COLOUR.test(to))
  return `${ESC}[${isReplaced ? '' : '0;'}${to}m`
}

/**
 * Returns the parameters of the style after a text. Keeps the colour for spaces between words, which saves a change of the
 * style.
 */
function parametersAfter(currentParameters: string, text: string, nextParameters: string): string {
  return nextParameters === '' && ONLY_COLOUR.test(currentParameters) && /^ +$/.test(text)
    ? currentParameters
    : nextParameters
}

function parametersOf(style: SpanStyle | undefined, theme: Theme): string {
  if (style === undefined) return ''
  const background = style.background === undefined ? undefined : theme.backgrounds[style.background]
  const hasTone = style.tone !== undefined && (background === undefined || theme.hasTonesOnBackgrounds)
  const parameters = [
    style.bold === true ? '1' : undefined,
    style.italic === true ? '3' : undefined,
    style.underline === true ? '4' : undefined,
    style.inverse === true ? '7' : undefined,
    style.strikethrough === true ? '9' : undefined,
    hasTone ? theme.tones[style.tone] : undefined,
    background,
  ]
  return parameters.filter((parameter) => parameter !== undefined).join(';')
}

const MAX_LINK_LENGTH = 2_000
const SAFE_SCHEME = /^(?:https?|file|mailto):/i

/** Returns the address in printable ASCII, or an empty string if it is too long or its scheme is not safe to open. */
function toSafeLink(href: string | undefined): string {
  if (href === undefined || href.length > MAX_LINK_LENGTH || !SAFE_SCHEME.test(href)) return ''
  return href.replace(/[^!-~]/gu, (character) => encodeURIComponent(character.isWellFormed() ? character : '\ufffd'))
}
