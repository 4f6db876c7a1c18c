import { SearchError } from '../../contract/ports/search.js'

/**
 * Compiles a pattern to an expression for paths below a folder, with ripgrep's semantics: a pattern without a slash matches
 * the name alone.
 */
export function compileGlob(pattern: string): RegExp {
  const anchoredPattern = pattern.startsWith('./') ? pattern.slice(1) : pattern
  const isNameOnly = !anchoredPattern.replace(/\/+$/, '').includes('/')
  const body = anchoredPattern
    .replace(/^\/+/, '')
    .replace(/\/+$/, '/**')
    .replace(/\/(?:\*\*\/)+/g, '/**/')
    .replace(/^(?:\*\*\/)+/, '**/')
  return new RegExp(`^${isNameOnly ? '(?:.*/)?' : ''}${translate(body, pattern)}$`, 'su')
}

/**
 * Returns the part of a pattern that matches the file name, as a glob for a ripgrep file type; undefined if it does not narrow
 * the search.
 */
export function toNameGlob(pattern: string): string | undefined {
  const name = pattern.slice(pattern.lastIndexOf('/') + 1)
  const isWhole =
    countCharacter(name, '{') === countCharacter(name, '}') && countCharacter(name, '[') === countCharacter(name, ']')
  return !isWhole || /^\**$/.test(name) || /[:\\\n]/.test(name) ? undefined : name
}

const PLAIN_NAME = /^[\w@+-][\w@+. -]*[\w@+-]$|^[\w@+-]$/

/** Returns ignore rules for everything outside the literal folders at the start of the pattern; empty if there are none. */
export function createSiblingIgnoreRules(pattern: string): string {
  const segments = pattern
    .replace(/^\.?\//, '')
    .split('/')
    .slice(0, -1)
  const end = segments.findIndex((segment) => !PLAIN_NAME.test(segment))
  const literalSegments = end === -1 ? segments : segments.slice(0, end)
  const folders = literalSegments.map((_, index) => literalSegments.slice(0, index + 1).join('/'))
  return folders.map((folder) => `/${folder.replace(/[^/]+$/, '*')}\n!/${folder}\n`).join('')
}

function countCharacter(text: string, character: string): number {
  return text.split(character).length - 1
}

const TOKEN = /\\(.)|\/\*\*\/|^\*\*\/|\/\*\*$|\*+|\?|\[(!|\^)?(\]?[^\]]*)\]|./gsu

function translate(glob: string, pattern: string): string {
  let depth = 0
  let expression = ''
  for (const match of glob.matchAll(TOKEN)) {
    const brace = depth > 0 || match[0] === '{' ? BRACE_TOKENS[match[0]] : undefined
    depth += brace?.depthChange ?? 0
    expression += brace?.expression ?? translateToken(match, pattern)
  }
  if (depth > 0) throw createUnclosedError(pattern, '{')
  return expression
}

const BRACE_TOKENS: Readonly<Record<string, { readonly expression: string; readonly depthChange: number }>> = {
  '{': { expression: '(?:', depthChange: 1 },
  '}': { expression: ')', depthChange: -1 },
  ',': { expression: '|', depthChange: 0 },
}

const WILDCARD_EXPRESSIONS: Readonly<Record<string, string>> = {
  '/**/': '/(?:.*/)?',
  '**/': '(?:.*/)?',
  '/**': '/.*',
  '?': '[^/]',
}

function translateToken([token, escapedCharacter, negation, members]: RegExpExecArray, pattern: string): string {
  if (escapedCharacter !== undefined) return escapeRegExp(escapedCharacter)
  if (members !== undefined)
    return `(?!/)[${negation === undefined ? '' : '^'}${members.replace(/[\\\][^]/gu, '\\$&')}]`
  if (token === '[') throw createUnclosedError(pattern, '[')
  return WILDCARD_EXPRESSIONS[token] ?? (/^\*+$/.test(token) ? '[^/]*' : escapeRegExp(token))
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}/]/gu, '\\$&')
}

function createUnclosedError(pattern: string, bracket: string): SearchError {
  return new SearchError(
    `The glob ${JSON.stringify(pattern)} has a ${bracket} that is not closed; write \\${bracket} for the character itself.`,
  )
}
