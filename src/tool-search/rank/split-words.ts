/** Letters with their digits; scripts that are written without spaces are runs of their own. */
const LETTER = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}ー々]'
const WORD = new RegExp(`${LETTER}+|(?:(?!${LETTER})[\\p{L}\\p{N}])+`, 'gu')
const UNSPACED = new RegExp(`^${LETTER}`, 'u')
const PLAIN = /^[\x20-\x7e\s]*$/
const ELISION = /(?<=\p{L})['’](?:s\b)?/gu

/** The words of a text in small letters without accents; identifiers fall into their parts. */
export function splitWords(text: string): string[] {
  // Nearly all texts are plain; the same patterns with classes of Unicode take three times as long.
  if (PLAIN.test(text)) return splitPlainWords(text)
  const parted = text
    .replace(ELISION, (mark) => (mark.length > 1 ? '' : ' '))
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
  return foldCase(parted).match(WORD) ?? []
}

function splitPlainWords(text: string): string[] {
  const parted = text
    .replace(/(?<=[A-Za-z])'(?:s\b)?/g, (mark) => (mark.length > 1 ? '' : ' '))
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
  return parted.toLowerCase().match(/[a-z\d]+/g) ?? []
}

/** Small letters without accents: `Größe` is `grosse`. Kana and Hangul keep their marks, which are part of the letter. */
export function foldCase(text: string): string {
  const small = text.toLowerCase()
  if (PLAIN.test(small)) return small
  return small
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .replaceAll('ß', 'ss')
}

/** Is the word of a script that puts no spaces between words? */
export function isUnspaced(word: string): boolean {
  return word.charCodeAt(0) > 0x10ff && UNSPACED.test(word)
}
