/** Letters of Chinese, Japanese and Korean, whose words are found with the lexicon instead of by spaces. */
const UNSPACED_LETTER = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}ー々]'
const WORD = new RegExp(`${UNSPACED_LETTER}+|(?:(?!${UNSPACED_LETTER})[\\p{L}\\p{N}])+`, 'gu')
const STARTS_UNSPACED = new RegExp(`^${UNSPACED_LETTER}`, 'u')
const ASCII = /^[\x20-\x7e\s]*$/
/** An apostrophe after a letter, with the `s` of an English genitive. */
const ELISION = /(?<=\p{L})['’](?:s\b)?/gu

/** Splits text into lower-case words without accents, and identifiers into their parts. */
export function splitWords(text: string): string[] {
  // Nearly all text is ASCII, and Unicode character classes make the same patterns three times as slow.
  if (ASCII.test(text)) return splitAsciiWords(text)
  const spacedText = text
    .replace(ELISION, (mark) => (mark.length > 1 ? '' : ' '))
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
  return foldCase(spacedText).match(WORD) ?? []
}

function splitAsciiWords(text: string): string[] {
  const spacedText = text
    .replace(/(?<=[A-Za-z])'(?:s\b)?/g, (mark) => (mark.length > 1 ? '' : ' '))
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
  return spacedText.toLowerCase().match(/[a-z\d]+/g) ?? []
}

/** Lower-cases and strips accents: `Größe` becomes `grosse`. Kana and Hangul keep their marks, which are part of the letter. */
export function foldCase(text: string): string {
  const lowerCaseText = text.toLowerCase()
  if (ASCII.test(lowerCaseText)) return lowerCaseText
  return lowerCaseText
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .replaceAll('ß', 'ss')
}

/** Whether the text is Chinese, Japanese or Korean, whose words are found with the lexicon instead of by spaces. */
export function isUnspaced(word: string): boolean {
  return word.charCodeAt(0) > 0x10ff && STARTS_UNSPACED.test(word)
}
