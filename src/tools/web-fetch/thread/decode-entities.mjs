/**
 * @typedef {object} EntityDecoder
 * @property {(text: string) => string} decodeText
 * @property {(value: string) => string} decodeAttribute
 */

/** The table of all 2,000 entities takes several milliseconds to load, and most pages use only a few. */
const COMMON_ENTITIES = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&apos;', "'"],
  ['&#39;', "'"],
  ['&#x27;', "'"],
  ['&nbsp;', '\u00a0'],
  ['&copy;', '©'],
  ['&middot;', '·'],
  ['&laquo;', '«'],
  ['&raquo;', '»'],
  ['&ndash;', '–'],
  ['&mdash;', '—'],
  ['&lsquo;', '‘'],
  ['&rsquo;', '’'],
  ['&ldquo;', '“'],
  ['&rdquo;', '”'],
  ['&bull;', '•'],
  ['&hellip;', '…'],
  ['&rarr;', '→'],
  ['&times;', '×'],
])
const names = [...COMMON_ENTITIES.keys()].join('|')
const COMMON = new RegExp(names, 'g')
const UNCOMMON = new RegExp(`(?!${names})&[#\\w]`)

/**
 * Creates a decoder for the entities of a page.
 * @param {string} html
 * @returns {Promise<EntityDecoder>}
 */
export async function createEntityDecoder(html) {
  if (UNCOMMON.test(html)) {
    const { decodeHTML, decodeHTMLAttribute } = await import('entities/decode')
    return { decodeText: (text) => decodeHTML(text), decodeAttribute: decodeHTMLAttribute }
  }
  const decode = (/** @type {string} */ text) => text.replace(COMMON, (name) => COMMON_ENTITIES.get(name) ?? name)
  return { decodeText: decode, decodeAttribute: decode }
}
