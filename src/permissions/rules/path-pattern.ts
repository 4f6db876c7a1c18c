import { ANY_NAME, type GlobName, type GlobPart, parseGlobPart } from './match-glob.js'

/** The parsed content of a path rule. */
export interface PathPattern {
  readonly base: 'start' | 'project' | 'home' | 'root'
  /** The number of `..` at the start of the pattern. */
  readonly parentCount: number
  /** Literal names before the first wildcard. */
  readonly literalNames: readonly string[]
  /** The parts after `literalNames` for deny and ask rules, where a folder covers itself and everything below it. */
  readonly restrictingParts: readonly GlobPart[]
  /** The parts after `literalNames` for allow rules, where `src/**` covers what is in `src`, but not `src` itself. */
  readonly allowingParts: readonly GlobPart[]
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
  const trimmedContent = content.trim()
  if (trimmedContent.startsWith('!')) return { problem: 'a pattern that starts with "!" is not supported' }
  if (trimmedContent.includes('\0')) return { problem: 'a path cannot contain a NUL character' }
  const problem = findLiteralProblem(trimmedContent)
  if (problem !== undefined) return { problem }
  const { base, relativePattern } = splitBase(trimmedContent)
  const isFolderOnly = /(^|\/)\.?$/.test(relativePattern) || relativePattern.endsWith('/')
  const names = resolveDots(relativePattern.split('/'))
  if (names === undefined) return { problem: '".." after a wildcard is not supported' }
  const { parentCount, parts } = names
  const isFloating = base === 'start' && parentCount === 0 && parts.length === 1 && !/\/[^/]/.test(relativePattern)
  return {
    pattern: { base, parentCount, isFloating, ...compileParts(parts, isFloating, isFolderOnly && parts.length > 0) },
  }
}

/** Finds text that looks like syntax of a shell or of other rules, which no path contains. */
function findLiteralProblem(text: string): string | undefined {
  if (/^(["']).*\1$/.test(text)) return 'a path is written without quotes'
  if (hasBraceList(text)) return 'braces are not supported; write one rule for each alternative'
  if (/\$\{?[A-Z_]+/.test(text)) return 'variables are not supported; write ~/ for the home folder'
  if (/:\*$/.test(text)) return 'a path has no ":*" at its end; write /** for everything in a folder'
  if (/^file:/i.test(text)) return 'write a path instead of a file: URL'
  if (/[A-Za-z0-9]\\[A-Za-z0-9]/.test(text) && !/^[A-Za-z]:[\\/]/.test(text))
    return 'write slashes instead of backslashes'
  return undefined
}

/** Whether there are braces with a comma between them. */
function hasBraceList(text: string): boolean {
  const parts = text.split('}').slice(0, -1)
  return parts.some((part) => part.includes('{') && part.includes(',', part.indexOf('{')))
}

function splitBase(content: string): { base: PathPattern['base']; relativePattern: string } {
  if (/^[A-Za-z]:[\\/]/.test(content)) return { base: 'root', relativePattern: content.replaceAll('\\', '/') }
  if (content.startsWith('//')) return { base: 'root', relativePattern: content.replace(/^\/+/, '') }
  if (content.startsWith('/')) return { base: 'project', relativePattern: content.slice(1) }
  if (content === '~' || content.startsWith('~/')) return { base: 'home', relativePattern: content.slice(2) }
  return { base: 'start', relativePattern: content }
}

function resolveDots(names: readonly string[]): { parentCount: number; parts: string[] } | undefined {
  const parts: string[] = []
  let parentCount = 0
  for (const name of names) {
    if (name === '' || name === '.') continue
    if (name !== '..') parts.push(name)
    else if (parts.length === 0) parentCount++
    else if (isLiteral(parts.pop() ?? '')) continue
    else return undefined
  }
  return { parentCount, parts }
}

function isLiteral(name: string): boolean {
  return !/[*?[\\]/.test(name)
}

function compileParts(names: readonly string[], isFloating: boolean, isFolderOnly: boolean) {
  const firstWildcard = names.findIndex((name) => !isLiteral(name))
  const literalCount = isFloating ? 0 : firstWildcard === -1 ? names.length : firstWildcard
  const literalNames = names.slice(0, literalCount)
  const parts: GlobPart[] = names.slice(literalCount).map(parseGlobPart)
  if (isFloating && parts[0] !== '**') parts.unshift('**')
  const endsWithStars = parts.at(-1) === '**'
  const partsBeforeStars = endsWithStars ? withoutTrailingStars(parts) : parts
  const mustBeBelow = endsWithStars || isFolderOnly
  return {
    literalNames,
    restrictingParts: [...partsBeforeStars, '**'] as GlobPart[],
    allowingParts: [...partsBeforeStars, ...(mustBeBelow ? [ANY_NAME] : []), '**'] as (GlobName | '**')[],
  }
}

function withoutTrailingStars(parts: readonly GlobPart[]): GlobPart[] {
  const lastIndex = parts.findLastIndex((part) => part !== '**')
  return parts.slice(0, lastIndex + 1)
}
