/** Characters that some file systems ignore when they compare names. */
const IGNORED_CHARACTERS = /\u200c|\u200d|\u200e|\u200f|[\u202a-\u202e]|[\u206a-\u206f]|\ufeff/g

/** Folds a name so that all names that could be the same file are equal. For deny and ask rules. */
export function foldForRestricting(text: string, isCaseInsensitive: boolean): string {
  const composedText = text.normalize('NFC')
  return isCaseInsensitive ? composedText.replace(IGNORED_CHARACTERS, '').toUpperCase().toLowerCase() : composedText
}

/** Folds a name so that only names that are certainly the same file are equal. For allow rules. */
export function foldForAllowing(text: string, isCaseInsensitive: boolean): string {
  return isCaseInsensitive ? text.normalize('NFC').toLowerCase() : text
}

/** Removes the parts of names that some file systems ignore: trailing dots and spaces, and a stream name after a colon. */
export function withoutTrailers(path: string): string {
  if (!/[. :](?:\/|$)|:/.test(path)) return path
  const names = path.split('/')
  return names.map((name, at) => (at === 0 ? name : trimName(name))).join('/')
}

function trimName(name: string): string {
  const colonIndex = name.indexOf(':')
  let end = colonIndex === -1 ? name.length : colonIndex
  while (end > 0 && (name[end - 1] === '.' || name[end - 1] === ' ')) end--
  return end === 0 ? name : name.slice(0, end)
}
