import { ANY_NAME, type GlobName, type GlobPart, parseGlobPart } from './match-glob.js'

/** The parsed content of a path rule. */
export interface PathPattern {
  readonly base: 'start' | 'project' | 'home' | 'root'
  /** How many levels above its base the pattern starts. */
  readonly up: number
  /** Literal names before the first wildcard. */
  readonly literal: readonly string[]
  /** The parts after `literal` for deny and ask rules, where a folder covers itself and everything below it. */
  readonly restricting: readonly GlobPart[]
  /** The parts after `literal` for allow rules, where `src/**` covers what is in `src`, but not `src` itself. */
  readonly allowing: readonly GlobPart[]
  /** Whether the pattern has no slash, so that it matches at any depth. */
  readonly isFloating: boolean
}

/** A parsed pattern, or why it is invalid. */
export type ParsedPathPattern = { readonly pattern: PathPattern } | { readonly problem: string }

/**
 * Parses a gitignore-style path. It is relative to the working directory; after `/` to the project, after `~/` to the home
 * folder; `//` makes it absolute.
 */
export function parsePathPattern(content: string): ParsedPathPattern {
  const trimmed = content.trim()
  if (trimmed.startsWith('!')) return { problem: 'a pattern that starts with "!" is not supported' }
  if (trimmed.includes('\0')) return { problem: 'a path cannot contain a NUL character' }
  const problem = findLiteralProblem(trimmed)
  if (problem !== undefined) return { problem }
  const { base, rest } = splitBase(trimmed)
  const isFolderOnly = /(^|\/)\.?$/.test(rest) || rest.endsWith('/')
  const names = resolveDots(rest.split('/'))
  if (names === undefined) return { problem: '".." after a wildcard is not supported' }
  const { up, parts } = names
  const isFloating = base === 'start' && up === 0 && parts.length === 1 && !/\/[^/]/.test(rest)
  return { pattern: { base, up, isFloating, ...compileParts(parts, isFloating, isFolderOnly && parts.length > 0) } }
}

/** Finds text that looks like syntax of a shell or of other rules, which no path contains. */
function findLiteralProblem(text: string): string | undefined {
  if (/^(["']).*\1$/.test(text)) return 'a path is written without quotes'
  if (/\{[^}]*,[^}]*\}/.test(text)) return 'braces are not supported; write one rule for each'
  if (/\$\{?[A-Z_]+/.test(text)) return 'variables are not supported; write ~/ for the home folder'
  if (/:\*$/.test(text)) return 'a path has no ":*" at its end; write /** for everything in a folder'
  if (/^file:/i.test(text)) return 'write a path instead of a file: address'
  if (/[A-Za-z0-9]\\[A-Za-z0-9]/.test(text) && !/^[A-Za-z]:[\\/]/.test(text))
    return 'write slashes instead of backslashes'
  return undefined
}

function splitBase(trimmed: string): { base: PathPattern['base']; rest: string } {
  if (/^[A-Za-z]:[\\/]/.test(trimmed)) return { base: 'root', rest: trimmed.replaceAll('\\', '/') }
  if (trimmed.startsWith('//')) return { base: 'root', rest: trimmed.replace(/^\/+/, '') }
  if (trimmed.startsWith('/')) return { base: 'project', rest: trimmed.slice(1) }
  if (trimmed === '~' || trimmed.startsWith('~/')) return { base: 'home', rest: trimmed.slice(2) }
  return { base: 'start', rest: trimmed }
}

function resolveDots(names: readonly string[]): { up: number; parts: string[] } | undefined {
  const parts: string[] = []
  let up = 0
  for (const name of names) {
    if (name === '' || name === '.') continue
    if (name !== '..') parts.push(name)
    else if (parts.length === 0) up++
    else if (isLiteral(parts.pop() ?? '')) continue
    else return undefined
  }
  return { up, parts }
}

function isLiteral(name: string): boolean {
  return !/[*?[\\]/.test(name)
}

function compileParts(names: readonly string[], isFloating: boolean, isFolderOnly: boolean) {
  const firstWildcard = names.findIndex((name) => !isLiteral(name))
  const literalCount = isFloating ? 0 : firstWildcard === -1 ? names.length : firstWildcard
  const literal = names.slice(0, literalCount)
  const parts: GlobPart[] = names.slice(literalCount).map(parseGlobPart)
  if (isFloating && parts[0] !== '**') parts.unshift('**')
  const endsWithStars = parts.at(-1) === '**'
  const partsBeforeStars = endsWithStars ? withoutTrailingStars(parts) : parts
  const mustBeBelow = endsWithStars || isFolderOnly
  return {
    literal,
    restricting: [...partsBeforeStars, '**'] as GlobPart[],
    allowing: [...partsBeforeStars, ...(mustBeBelow ? [ANY_NAME] : []), '**'] as (GlobName | '**')[],
  }
}

function withoutTrailingStars(parts: readonly GlobPart[]): GlobPart[] {
  const lastIndex = parts.findLastIndex((part) => part !== '**')
  return parts.slice(0, lastIndex + 1)
}
